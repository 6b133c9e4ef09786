/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One handler for each shape of a single level above its blocks ([DiG19], section 3.2.3):
 *
 *   vector         a loop of blocks                    one division finds the first block
 *   indexed block  a list of equal blocks              the same
 *   indexed        a list of blocks of varied length   binary search in the prefix sums
 *   struct         a seq of blocks                     the same
 *   contiguous     a block
 *
 * Other forms have none. Since forms are normal, nested types that are one of these are taken too.
 */
#include "offload/strategy.h"
#include "offload/write.h"

WEFT_OFFLOAD_INLINE ptl_handler_result_t equal_blocks(enum weft_offload_shape shape, bool wide,
                                                      const ptl_payload_t *payload,
                                                      const struct weft_offload_head *head)
{
    if (!weft_offload_packet_fits(head, payload))
        return PTL_HANDLER_SEGV;
    const struct weft_type_node *node = weft_offload_root(head);
    struct weft_offload_packet packet = {payload->base, payload->length};
    const struct weft_type_node *block = weft_type_node_child(node);
    struct weft_offload_step step = {.i = weft_divisor_divide(payload->offset, block->by_size)};
    step.skip = payload->offset - step.i * block->size;
    weft_offload_row(shape, wide, node, head->mem, step, &packet, true);
    return PTL_HANDLER_SUCCESS;
}

/* Where the packet begins, in lists with prefix sums. */
static inline struct weft_offload_step search(const struct weft_type_node *node, uint64_t offset)
{
    const struct weft_type_ends ends = weft_type_node_ends(node);
    unsigned steps = 0;
    struct weft_offload_step step = {.i = weft_type_ends_find(&ends, node->count, offset, &steps)};
    step.skip = offset - weft_type_ends_start(&ends, step.i);
    return step;
}

WEFT_OFFLOAD_INLINE ptl_handler_result_t varied_blocks(bool wide, const ptl_payload_t *payload,
                                                       const struct weft_offload_head *head)
{
    if (!weft_offload_packet_fits(head, payload))
        return PTL_HANDLER_SEGV;
    const struct weft_type_node *node = weft_offload_root(head);
    struct weft_offload_packet packet = {payload->base, payload->length};
    weft_offload_row(WEFT_OFFLOAD_VARIED, wide, node, head->mem, search(node, payload->offset),
                     &packet, true);
    return PTL_HANDLER_SUCCESS;
}

static ptl_handler_result_t on_vector(const ptl_payload_t *payload, void *state)
{
    return equal_blocks(WEFT_OFFLOAD_STRIDED, false, payload, state);
}

static ptl_handler_result_t on_indexed_block(const ptl_payload_t *payload, void *state)
{
    return equal_blocks(WEFT_OFFLOAD_LISTED, false, payload, state);
}

static ptl_handler_result_t on_indexed_block_wide(const ptl_payload_t *payload, void *state)
{
    return equal_blocks(WEFT_OFFLOAD_LISTED, true, payload, state);
}

static ptl_handler_result_t on_indexed(const ptl_payload_t *payload, void *state)
{
    return varied_blocks(false, payload, state);
}

static ptl_handler_result_t on_indexed_wide(const ptl_payload_t *payload, void *state)
{
    return varied_blocks(true, payload, state);
}

static ptl_handler_result_t on_contiguous(const ptl_payload_t *payload, void *state)
{
    const struct weft_offload_head *head = state;
    if (!weft_offload_packet_fits(head, payload))
        return PTL_HANDLER_SEGV;
    struct weft_offload_packet packet = {payload->base, payload->length};
    weft_offload_write(&packet, head->mem + payload->offset, payload->length, true);
    return PTL_HANDLER_SUCCESS;
}

static bool is_seq_of_blocks(const struct weft_type_node *node)
{
    for (uint64_t i = 0; i < node->count; i++)
        if (!weft_type_node_is_bytes(weft_type_node_member(node, i)))
            return false;
    return true;
}

static struct weft_offload_handler choose(const struct weft_type_node *node)
{
    static const struct weft_offload_handler none = {NULL, NULL},
                                             contiguous = WEFT_OFFLOAD_HANDLER(on_contiguous),
                                             vector = WEFT_OFFLOAD_HANDLER(on_vector);
    static const struct weft_offload_handler equal[] = {
        WEFT_OFFLOAD_HANDLER(on_indexed_block), WEFT_OFFLOAD_HANDLER(on_indexed_block_wide)};
    static const struct weft_offload_handler varied[] = {WEFT_OFFLOAD_HANDLER(on_indexed),
                                                         WEFT_OFFLOAD_HANDLER(on_indexed_wide)};
    switch (node->kind) {
    case WEFT_TYPE_NODE_BLOCK:
        return contiguous;
    case WEFT_TYPE_NODE_LOOP:
        return weft_type_node_is_bytes(weft_type_node_child(node)) ? vector : none;
    case WEFT_TYPE_NODE_LIST:
        if (weft_type_node_is_varied_bytes(node))
            return varied[node->wide];
        if (node->varied || !weft_type_node_is_bytes(weft_type_node_child(node)))
            return none;
        return equal[node->wide];
    default:
        return is_seq_of_blocks(node) ? varied[node->wide] : none;
    }
}

const struct weft_offload_strategy_kind weft_offload_specialized = {.name = "specialized",
                                                                    .choose = choose};
