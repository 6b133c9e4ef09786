/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the strategies of the paper write: block by block, through one primitive that never takes
 * more than the packet has. Where a block goes was checked when the handlers were bound
 * (weft_offload_bind). Rows of blocks are templates, inlined with a constant shape, so that a
 * block costs a memcpy and a step.
 */
#ifndef WEFT_OFFLOAD_WRITE_H
#define WEFT_OFFLOAD_WRITE_H

#include "device/put.h"
#include "offload/offload.h"
#include "type/node.h"
#include "type/run.h"

#define WEFT_OFFLOAD_INLINE static inline __attribute__((always_inline))

/* What is left of a packet; without data, to count only. */
struct weft_offload_packet {
    const unsigned char *data;
    uint64_t left;
};

static inline bool weft_offload_packet_fits(const struct weft_offload_head *head,
                                            const ptl_payload_t *payload)
{
    return payload->length <= head->size && payload->offset <= head->size - payload->length;
}

/* Writes `bytes`, or what is left; says how many. */
WEFT_OFFLOAD_INLINE uint64_t weft_offload_write(struct weft_offload_packet *packet,
                                                weft_type_address to, uint64_t bytes, bool writes)
{
    uint64_t part = bytes < packet->left ? bytes : packet->left;
    if (writes) {
        weft_device_put(to, packet->data, part);
        packet->data += part;
    }
    packet->left -= part;
    return part;
}

enum weft_offload_shape { WEFT_OFFLOAD_STRIDED, WEFT_OFFLOAD_LISTED, WEFT_OFFLOAD_VARIED };

/* How far a row of blocks has come. */
struct weft_offload_step {
    uint64_t i;    /* the block */
    uint64_t skip; /* bytes of it that are done */
};

WEFT_OFFLOAD_INLINE int64_t weft_offload_where(const void *where, bool wide, uint64_t i)
{
    return wide ? ((const int64_t *)where)[i] : ((const int32_t *)where)[i];
}

/* Goes on until the packet or the row ends. */
WEFT_OFFLOAD_INLINE struct weft_offload_step
weft_offload_row(enum weft_offload_shape shape, bool wide, const struct weft_type_node *node,
                 weft_type_address mem, struct weft_offload_step step,
                 struct weft_offload_packet *original, bool writes)
{
    /* A copy: what is written could otherwise be the packet, as far as the compiler knows. */
    struct weft_offload_packet packet = *original;
    const uint64_t count = node->count;
    const int64_t stride = node->stride;
    const void *where = NULL;
    struct weft_type_ends ends = {0};
    if (shape != WEFT_OFFLOAD_STRIDED)
        where = weft_type_node_at(node, node->to_where);
    if (shape == WEFT_OFFLOAD_VARIED)
        ends = weft_type_node_ends(node);
    uint64_t block = shape == WEFT_OFFLOAD_VARIED ? 0 : weft_type_node_child(node)->size;
    weft_type_address to = weft_type_address_add(mem, (int64_t)step.i * stride);
    while (packet.left && step.i < count) {
        if (shape != WEFT_OFFLOAD_STRIDED)
            to = weft_type_address_add(mem, weft_offload_where(where, wide, step.i));
        if (shape == WEFT_OFFLOAD_VARIED)
            block = weft_type_ends_at(&ends, step.i) - weft_type_ends_start(&ends, step.i);
        step.skip += weft_offload_write(&packet, to + step.skip, block - step.skip, writes);
        if (step.skip < block)
            break;
        step.skip = 0;
        step.i++;
        if (shape == WEFT_OFFLOAD_STRIDED)
            to = weft_type_address_add(to, stride);
    }
    *original = packet;
    return step;
}

#endif
