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
 *
 * What belongs to a node is found by its distance from the node, and all that moving data needs
 * has the same width everywhere. So nodes that are copied together need no change, and the memory
 * of a NIC holds them as that of the host does (offload/image.h): one walk reads both, on a core
 * of 32 bits as well.
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
    bool wide;            /* where[] holds 64-bit displacements, else 32-bit ones */
    bool varied;          /* a list with ends */
    bool varied_bytes;    /* one whose children are single bytes that lie together */
    bool far;             /* a list most of whose entries lie far from the one before */
    uint8_t kernel;       /* block: which copy kernel fits its size (kernel.h) */
    bool wide_ends;       /* ends are 64-bit numbers, else 32-bit ones */
    uint8_t bucket_shift; /* of the index of the ends */
    uint64_t size;        /* packed bytes */
    struct weft_divisor by_size;

    /* Of all but blocks. Distances are in bytes; 0: there is none. */
    uint64_t count;
    int64_t stride;
    int64_t to_child;

    /* Of lists and seqs. */
    int64_t to_where;
    int64_t to_ends;
    int64_t to_buckets;

    /* Of seqs: the distances of the members, from the node as well. */
    int64_t to_members;

    /* Not needed to move data. */
    int64_t low, high; /* the bytes touched */
    uint64_t pieces;
    uint64_t hash;
    size_t bytes; /* of this node's own memory, without children */
    uint32_t depth;
};

/* How far the fields of a kind reach. */
#define WEFT_TYPE_NODE_BLOCK_BYTES offsetof(struct weft_type_node, count)
#define WEFT_TYPE_NODE_LOOP_BYTES offsetof(struct weft_type_node, to_where)
#define WEFT_TYPE_NODE_LIST_BYTES offsetof(struct weft_type_node, to_members)
#define WEFT_TYPE_NODE_SEQ_BYTES offsetof(struct weft_type_node, low)

_Static_assert(sizeof(bool) == 1 && offsetof(struct weft_type_node, size) == 8, "layout");
_Static_assert(offsetof(struct weft_type_node, by_size) == 16, "layout");
_Static_assert(WEFT_TYPE_NODE_BLOCK_BYTES == 32, "layout");
_Static_assert(WEFT_TYPE_NODE_LOOP_BYTES == 56, "layout");
_Static_assert(WEFT_TYPE_NODE_LIST_BYTES == 80, "layout");
_Static_assert(WEFT_TYPE_NODE_SEQ_BYTES == 88, "layout");

/* As numbers, since what belongs to a node need not be of the same object. */
static inline int64_t weft_type_node_distance(const struct weft_type_node *node, const void *to)
{
    return to ? (int64_t)((uintptr_t)to - (uintptr_t)node) : 0;
}

static inline const void *weft_type_node_at(const struct weft_type_node *node, int64_t distance)
{
    return (const void *)((uintptr_t)node + (uintptr_t)distance);
}

static inline const struct weft_type_node *weft_type_node_child(const struct weft_type_node *node)
{
    return weft_type_node_at(node, node->to_child);
}

static inline const struct weft_type_node *weft_type_node_member(const struct weft_type_node *node,
                                                                 uint64_t i)
{
    const int64_t *distances = weft_type_node_at(node, node->to_members);
    return weft_type_node_at(node, distances[i]);
}

static inline int64_t weft_type_node_where(const struct weft_type_node *node, uint64_t i)
{
    const void *where = weft_type_node_at(node, node->to_where);
    return node->wide ? ((const int64_t *)where)[i] : ((const int32_t *)where)[i];
}

static inline struct weft_type_ends weft_type_node_ends(const struct weft_type_node *node)
{
    return (struct weft_type_ends){.end = weft_type_node_at(node, node->to_ends),
                                   .bucket = weft_type_node_at(node, node->to_buckets),
                                   .has_buckets = node->to_buckets,
                                   .shift = node->bucket_shift,
                                   .wide = node->wide_ends};
}

/* Packed bytes of an entry of a list with ends. */
static inline uint64_t weft_type_node_share(const struct weft_type_node *node, uint64_t i)
{
    const struct weft_type_ends ends = weft_type_node_ends(node);
    return weft_type_ends_at(&ends, i) - weft_type_ends_start(&ends, i);
}

static inline bool weft_type_node_is_bytes(const struct weft_type_node *node)
{
    return node->kind == WEFT_TYPE_NODE_BLOCK;
}

/* A list of blocks of varied length. */
static inline bool weft_type_node_is_varied_bytes(const struct weft_type_node *node)
{
    return node->varied_bytes;
}

#endif
