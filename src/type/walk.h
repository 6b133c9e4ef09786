/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traversal: enters a normal form at any byte of its packed stream and hands the memory of a
 * range, in packed order, to a sink. It keeps no state between calls, allocates nothing, and
 * compiles freestanding.
 */
#ifndef WEFT_TYPE_WALK_H
#define WEFT_TYPE_WALK_H

#include "type/node.h"
#include "type/run.h"

/*
 * Bytes [offset, offset + length) of a node at mem. The range must not be empty and must lie
 * inside. Returns false if the sink ended the walk.
 */
bool weft_type_walk(const struct weft_type_node *node, weft_type_address mem, uint64_t offset,
                    uint64_t length, struct weft_type_sink *sink);

/* The same for a row of such nodes, `stride` apart, as many as the range needs. */
bool weft_type_walk_elements(const struct weft_type_node *node, int64_t stride,
                             weft_type_address mem, uint64_t offset, uint64_t length,
                             struct weft_type_sink *sink);

/* Where one packed byte lies. */
struct weft_type_walk_place {
    int64_t displacement;
    uint64_t contiguous;
    unsigned steps;
};

struct weft_type_walk_place weft_type_walk_locate(const struct weft_type_node *node,
                                                  int64_t stride, uint64_t offset);

#endif
