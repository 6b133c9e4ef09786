/* SPDX-License-Identifier: BSD-3-Clause */
/* Unpacking by normal form, for those who have no type: handlers on the NIC. */
#ifndef WEFT_TYPE_PACK_H
#define WEFT_TYPE_PACK_H

#include "base/private.h"
#include "type/node.h"
#include "type/run.h"

/* Bytes [offset, offset + length) of a node at mem. The range must not be empty and must lie
 * inside. */
WEFT_PRIVATE void weft_type_scatter(const struct weft_type_node *node, weft_type_address mem,
                                    uint64_t offset, const void *packed, uint64_t length);

#endif
