/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The normal form of a type: an immutable tree of four kinds of node.
 *
 *   block   `size` contiguous bytes
 *   loop    `count` copies of `child`, `stride` bytes apart
 *   list    `count` entries at displacements where[i]. Each is one `child`; or, if the node has
 *           ends, as many children, `stride` bytes apart, as fill the entry's share of the stream
 *   seq     `count` different members at displacements where[i]
 *
 * Every node answers "where is packed byte k?" alone: blocks and loops and plain lists by a
 * division, lists with ends and seqs by a search in their prefix sums (ends.h).
 *
 * A node's first packed byte is at displacement 0 of the node; whoever holds a node adds where it
 * lies. So layouts that differ only in their place share a node, and since nodes are interned
 * (intern.c), equal nodes are the same pointer.
 */
#ifndef WEFT_TYPE_NODE_H
#define WEFT_TYPE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/divisor.h"
#include "type/ends.h"

enum weft_type_node_kind {
    WEFT_TYPE_NODE_BLOCK,
    WEFT_TYPE_NODE_LOOP,
    WEFT_TYPE_NODE_LIST,
    WEFT_TYPE_NODE_SEQ
};

struct weft_type_node {
    uint8_t kind;
    bool wide;      /* where[] holds 64-bit displacements, else 32-bit ones */
    bool varied;    /* a list with ends */
    bool far;       /* a list most of whose entries lie far from the one before */
    uint8_t kernel; /* block: which copy kernel fits its size (kernel.h) */
    uint32_t depth;
    uint64_t size; /* packed bytes */
    uint64_t count;
    int64_t stride;
    const struct weft_type_node *child;
    struct weft_divisor by_size;
    const void *where;
    struct weft_type_ends ends;
    const struct weft_type_node *const *members;

    /* Not needed to move data. */
    int64_t low, high; /* the bytes touched */
    uint64_t pieces;
    uint64_t hash;
    size_t bytes; /* of this node's own memory, without children */
};

static inline int64_t weft_type_node_where(const struct weft_type_node *node, uint64_t i)
{
    return node->wide ? ((const int64_t *)node->where)[i] : ((const int32_t *)node->where)[i];
}

static inline bool weft_type_node_is_bytes(const struct weft_type_node *node)
{
    return node->kind == WEFT_TYPE_NODE_BLOCK;
}

/* A list of blocks of varied length: the children are single bytes that lie together. */
static inline bool weft_type_node_is_varied_bytes(const struct weft_type_node *node)
{
    return node->varied && node->stride == 1 && node->child->size == 1;
}

#endif
