/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/segment.h"

#include "offload/write.h"

uint32_t weft_offload_segment_bytes(const struct weft_type_node *root)
{
    uint32_t levels = root->depth > 1 ? root->depth - 1 : 1;
    return (uint32_t)(sizeof(struct weft_offload_segment) +
                      levels * sizeof(struct weft_offload_segment_level));
}

/* ---- Levels ------------------------------------------------------------------------------- */

static const struct weft_type_node *child_of(const struct weft_offload_segment_level *level)
{
    const struct weft_type_node *node = level->node;
    return node->kind == WEFT_TYPE_NODE_SEQ ? weft_type_node_member(node, level->i)
                                            : weft_type_node_child(node);
}

static int64_t child_at(const struct weft_offload_segment_level *level)
{
    const struct weft_type_node *node = level->node;
    if (node->kind == WEFT_TYPE_NODE_LOOP)
        return level->at + (int64_t)level->i * node->stride;
    return level->at + weft_type_node_where(node, level->i) + (int64_t)level->copy * node->stride;
}

static bool is_innermost(const struct weft_offload_segment_level *level)
{
    return weft_type_node_is_bytes(level->node) || weft_type_node_is_bytes(child_of(level));
}

static uint64_t copies_of(const struct weft_offload_segment_level *level)
{
    return weft_divisor_divide(weft_type_node_share(level->node, level->i),
                               weft_type_node_child(level->node)->by_size);
}

/* False if the child was the last. */
static bool next_child(struct weft_offload_segment_level *level)
{
    const struct weft_type_node *node = level->node;
    if (weft_type_node_is_bytes(node))
        return false;
    if (node->varied && !weft_type_node_is_varied_bytes(node) && ++level->copy < copies_of(level))
        return true;
    level->copy = 0;
    return ++level->i < node->count;
}

static void descend(struct weft_offload_segment *segment)
{
    struct weft_offload_segment_level *level = &segment->level[segment->depth - 1];
    while (!is_innermost(level)) {
        level[1] =
            (struct weft_offload_segment_level){.node = child_of(level), .at = child_at(level)};
        level++;
        segment->depth++;
    }
}

/* The current level is at its end: on to the next child of one above. */
static void ascend(struct weft_offload_segment *segment)
{
    do {
        if (--segment->depth == 0)
            return;
    } while (!next_child(&segment->level[segment->depth - 1]));
    descend(segment);
}

void weft_offload_segment_reset(struct weft_offload_segment *segment,
                                const struct weft_type_node *root)
{
    segment->position = segment->skip = 0;
    segment->depth = 1;
    segment->level[0] = (struct weft_offload_segment_level){.node = root};
    descend(segment);
}

/* ---- Blocks ------------------------------------------------------------------------------- */

/* A level that is no row: one block of it. */
WEFT_OFFLOAD_INLINE void go_through_block(struct weft_offload_segment *segment,
                                          weft_type_address mem,
                                          struct weft_offload_packet *packet, bool writes)
{
    struct weft_offload_segment_level *level = &segment->level[segment->depth - 1];
    const struct weft_type_node *node = level->node;
    bool is_root = weft_type_node_is_bytes(node);
    uint64_t block = is_root ? node->size : child_of(level)->size;
    weft_type_address to = weft_type_address_add(mem, is_root ? level->at : child_at(level));
    segment->skip += weft_offload_write(packet, to + segment->skip, block - segment->skip, writes);
    if (segment->skip < block)
        return;
    segment->skip = 0;
    if (!next_child(level))
        ascend(segment);
    else
        descend(segment);
}

WEFT_OFFLOAD_INLINE void go_through_row(enum weft_offload_shape shape, bool wide,
                                        struct weft_offload_segment *segment,
                                        weft_type_address mem, struct weft_offload_packet *packet,
                                        bool writes)
{
    struct weft_offload_segment_level *level = &segment->level[segment->depth - 1];
    struct weft_offload_step step = {level->i, segment->skip};
    step = weft_offload_row(shape, wide, level->node, weft_type_address_add(mem, level->at), step,
                            packet, writes);
    level->i = step.i;
    segment->skip = step.skip;
    if (step.i == level->node->count)
        ascend(segment);
}

WEFT_OFFLOAD_INLINE void go_through(struct weft_offload_segment *segment, weft_type_address mem,
                                    struct weft_offload_packet packet, bool writes)
{
    segment->position += packet.left;
    while (packet.left) {
        const struct weft_type_node *node = segment->level[segment->depth - 1].node;
        if (node->kind == WEFT_TYPE_NODE_LOOP)
            go_through_row(WEFT_OFFLOAD_STRIDED, false, segment, mem, &packet, writes);
        else if (node->kind == WEFT_TYPE_NODE_LIST && !node->varied && !node->wide)
            go_through_row(WEFT_OFFLOAD_LISTED, false, segment, mem, &packet, writes);
        else if (weft_type_node_is_varied_bytes(node) && !node->wide)
            go_through_row(WEFT_OFFLOAD_VARIED, false, segment, mem, &packet, writes);
        else if (node->kind == WEFT_TYPE_NODE_LIST && !node->varied)
            go_through_row(WEFT_OFFLOAD_LISTED, true, segment, mem, &packet, writes);
        else if (weft_type_node_is_varied_bytes(node))
            go_through_row(WEFT_OFFLOAD_VARIED, true, segment, mem, &packet, writes);
        else
            go_through_block(segment, mem, &packet, writes);
    }
}

void weft_offload_segment_pass(struct weft_offload_segment *segment, uint64_t length)
{
    go_through(segment, 0, (struct weft_offload_packet){NULL, length}, false);
}

void weft_offload_segment_write(struct weft_offload_segment *segment, weft_type_address mem,
                                const unsigned char *data, uint64_t length)
{
    go_through(segment, mem, (struct weft_offload_packet){data, length}, true);
}
