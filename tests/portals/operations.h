/* SPDX-License-Identifier: BSD-3-Clause */
/* What the atomic operations of Portals do, in plain C: the model that the NIC is held against. */
#ifndef WEFT_TESTS_PORTALS_OPERATIONS_H
#define WEFT_TESTS_PORTALS_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "portals4.h"

/* The largest item, whatever its type. */
#define OPERATIONS_ITEM 32

size_t type_size(ptl_datatype_t type);

/* Whether PtlAtomic and PtlFetchAtomic (PtlSwap) know it for this type. */
bool is_atomic(ptl_op_t operation, ptl_datatype_t type);
bool is_swap(ptl_op_t operation, ptl_datatype_t type);
/* A swap that compares or masks, of one item. */
bool has_operand(ptl_op_t operation);

/* Writes a small number that every type can hold; `imaginary` only where there is one. */
void item_set(ptl_datatype_t type, void *item, int real, int imaginary);
bool item_equal(ptl_datatype_t type, const void *a, const void *b);

/* The target's item becomes what the operation makes of it. `operand` is for swaps. */
void model_apply(ptl_op_t operation, ptl_datatype_t type, void *target, const void *data,
                 const void *operand);

#endif
