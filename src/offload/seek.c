/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The strategy of Weft: every level of the normal form answers "where is packed byte k?" alone,
 * so a packet is an unpack of its byte range, whatever came before it. No iterator, no checkpoint,
 * no order of packets, no HPU that a packet must go to.
 */
#include "offload/strategy.h"
#include "offload/write.h"
#include "type/kernel.h"
#include "type/walk.h"

static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *state)
{
    const struct weft_offload_head *head = state;
    if (!weft_offload_packet_fits(head, payload))
        return PTL_HANDLER_SEGV;
    struct weft_type_mover mover = {weft_type_kernels(WEFT_TYPE_SCATTER)->mover,
                                    (char *)payload->base};
    weft_type_walk(head->root, head->mem, payload->offset, payload->length, &mover.sink);
    return PTL_HANDLER_SUCCESS;
}

static ptl_payload_handler_t handler(const struct weft_type_node *node)
{
    (void)node;
    return on_payload;
}

const struct weft_offload_strategy_kind weft_offload_seek = {
    .name = "seek", .wants_index = true, .handler = handler};
