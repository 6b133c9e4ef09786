/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic operations on integers, said once more and differently than the NIC says them. */
#ifndef WEFT_TESTS_CHAOS_ARITHMETIC_H
#define WEFT_TESTS_CHAOS_ARITHMETIC_H

#include <portals4.h>
#include <stddef.h>

#define ARITHMETIC_TYPES 8

/* The integer types, in some order. */
ptl_datatype_t arithmetic_type(unsigned index);
size_t arithmetic_size(ptl_datatype_t type);

/* Applies `source` to `target`, item by item; `operand` only for the swaps that have one. */
void arithmetic_apply(ptl_op_t operation, ptl_datatype_t type, unsigned char *target,
                      const unsigned char *source, size_t bytes, const unsigned char *operand);

#endif
