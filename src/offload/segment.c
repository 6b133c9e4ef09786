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

/* A segment and the form that it goes through. */
struct iterator {
    struct weft_offload_segment *segment;
    const struct weft_type_node *root;
};

static struct weft_offload_segment_level *innermost(struct iterator it)
{
    return &it.segment->level[it.segment->depth - 1];
}

static const struct weft_type_node *node_of(struct iterator it,
                                            const struct weft_offload_segment_level *level)
{
    return weft_type_node_at(it.root, level->node);
}

static const struct weft_type_node *child_of(const struct weft_type_node *node,
                                             const struct weft_offload_segment_level *level)
{
    return node->kind == WEFT_TYPE_NODE_SEQ ? weft_type_node_member(node, level->i)
                                            : weft_type_node_child(node);
}

static int64_t child_at(const struct weft_type_node *node,
                        const struct weft_offload_segment_level *level)
{
    if (node->kind == WEFT_TYPE_NODE_LOOP)
        return level->at + (int64_t)level->i * node->stride;
    return level->at + weft_type_node_where(node, level->i) + (int64_t)level->copy * node->stride;
}

static bool is_innermost(const struct weft_type_node *node,
                         const struct weft_offload_segment_level *level)
{
    return weft_type_node_is_bytes(node) || weft_type_node_is_bytes(child_of(node, level));
}

static uint64_t copies_of(const struct weft_type_node *node, uint64_t i)
{
    return weft_divisor_divide(weft_type_node_share(node, i), weft_type_node_child(node)->by_size);
}

/* False if the child was the last. */
static bool next_child(const struct weft_type_node *node, struct weft_offload_segment_level *level)
{
    if (weft_type_node_is_bytes(node))
        return false;
    if (node->varied && !weft_type_node_is_varied_bytes(node) &&
        ++level->copy < copies_of(node, level->i))
        return true;
    level->copy = 0;
    return ++level->i < node->count;
}

static void descend(struct iterator it)
{
    struct weft_offload_segment_level *level = innermost(it);
    const struct weft_type_node *node = node_of(it, level);
    while (!is_innermost(node, level)) {
        const struct weft_type_node *child = child_of(node, level);
        level[1] = (struct weft_offload_segment_level){
            .node = weft_type_node_distance(it.root, child), .at = child_at(node, level)};
        node = child;
        level++;
        it.segment->depth++;
    }
}

/* The current level is at its end: on to the next child of one above. */
static void ascend(struct iterator it)
{
    struct weft_offload_segment_level *level;
    do {
        if (--it.segment->depth == 0)
            return;
        level = innermost(it);
    } while (!next_child(node_of(it, level), level));
    descend(it);
}

void weft_offload_segment_reset(struct weft_offload_segment *segment,
                                const struct weft_type_node *root)
{
    segment->position = segment->skip = 0;
    segment->depth = 1;
    segment->level[0] = (struct weft_offload_segment_level){0};
    descend((struct iterator){segment, root});
}

/* ---- Blocks ------------------------------------------------------------------------------- */

/* A level that is no row: one block of it. */
WEFT_OFFLOAD_INLINE void go_through_block(struct iterator it, weft_type_address mem,
                                          struct weft_offload_packet *packet, bool writes)
{
    struct weft_offload_segment *segment = it.segment;
    struct weft_offload_segment_level *level = innermost(it);
    const struct weft_type_node *node = node_of(it, level);
    bool is_root = weft_type_node_is_bytes(node);
    uint64_t block = is_root ? node->size : child_of(node, level)->size;
    weft_type_address to = weft_type_address_add(mem, is_root ? level->at : child_at(node, level));
    segment->skip += weft_offload_write(packet, to + segment->skip, block - segment->skip, writes);
    if (segment->skip < block)
        return;
    segment->skip = 0;
    if (!next_child(node, level))
        ascend(it);
    else
        descend(it);
}

WEFT_OFFLOAD_INLINE void go_through_row(enum weft_offload_shape shape, bool wide,
                                        struct iterator it, weft_type_address mem,
                                        struct weft_offload_packet *packet, bool writes)
{
    struct weft_offload_segment_level *level = innermost(it);
    const struct weft_type_node *node = node_of(it, level);
    struct weft_offload_step step = {level->i, it.segment->skip};
    step = weft_offload_row(shape, wide, node, weft_type_address_add(mem, level->at), step, packet,
                            writes);
    level->i = step.i;
    it.segment->skip = step.skip;
    if (step.i == node->count)
        ascend(it);
}

WEFT_OFFLOAD_INLINE void go_through(struct iterator it, weft_type_address mem,
                                    struct weft_offload_packet packet, bool writes)
{
    it.segment->position += packet.left;
    while (packet.left) {
        const struct weft_type_node *node = node_of(it, innermost(it));
        if (node->kind == WEFT_TYPE_NODE_LOOP)
            go_through_row(WEFT_OFFLOAD_STRIDED, false, it, mem, &packet, writes);
        else if (node->kind == WEFT_TYPE_NODE_LIST && !node->varied && !node->wide)
            go_through_row(WEFT_OFFLOAD_LISTED, false, it, mem, &packet, writes);
        else if (weft_type_node_is_varied_bytes(node) && !node->wide)
            go_through_row(WEFT_OFFLOAD_VARIED, false, it, mem, &packet, writes);
        else if (node->kind == WEFT_TYPE_NODE_LIST && !node->varied)
            go_through_row(WEFT_OFFLOAD_LISTED, true, it, mem, &packet, writes);
        else if (weft_type_node_is_varied_bytes(node))
            go_through_row(WEFT_OFFLOAD_VARIED, true, it, mem, &packet, writes);
        else
            go_through_block(it, mem, &packet, writes);
    }
}

void weft_offload_segment_pass(struct weft_offload_segment *segment,
                               const struct weft_type_node *root, uint64_t length)
{
    go_through((struct iterator){segment, root}, 0, (struct weft_offload_packet){NULL, length},
               false);
}

void weft_offload_segment_write(struct weft_offload_segment *segment,
                                const struct weft_type_node *root, weft_type_address mem,
                                const unsigned char *data, uint64_t length)
{
    go_through((struct iterator){segment, root}, mem, (struct weft_offload_packet){data, length},
               true);
}
