/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of atomic operations. It is done by the owner of the target's NIC, one operation
 * at a time, so that no other write through Portals comes between the load and the store of an
 * item: no locked instructions are needed for that. The host's own accesses are ordered by
 * events, counters and PtlAtomicSync.
 */
#ifndef WEFT_NIC_ATOMIC_H
#define WEFT_NIC_ATOMIC_H

#include <portals4.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes of one item; 0 if there is no such type. */
size_t weft_nic_atomic_size(ptl_datatype_t type);

/* Whether the operation is defined for the type; false for values outside of the enumerations. */
bool weft_nic_atomic_exists(ptl_op_t operation, ptl_datatype_t type);

/* target = operation(target, source), item by item; `bytes` is a multiple of the item's size and
 * the operation exists. Nothing needs to be aligned; source and target do not overlap. `operand`
 * is one item, for all swaps but PTL_SWAP; the others do not look at it. Who wants the old
 * target has saved it.
 *
 * Integers wrap. MIN and MAX of a NaN keep the target. Comparisons are of values, not of bits:
 * -0 equals 0 and no NaN equals anything. Padding inside an item travels with swapped data and
 * is not touched otherwise. */
void weft_nic_atomic_apply(ptl_op_t operation, ptl_datatype_t type, void *target,
                           const void *source, size_t bytes, const void *operand);

#endif
