/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The strategy of Weft: every level of the normal form answers "where is packed byte k?" alone,
 * so a packet is an unpack of its byte range, whatever came before it. No iterator, no checkpoint,
 * no order of packets, no HPU that a packet must go to.
 */
#include "offload/strategy.h"
#include "offload/write.h"
#include "type/pack.h"

static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *state)
{
    const struct weft_offload_head *head = state;
    if (!weft_offload_packet_fits(head, payload))
        return PTL_HANDLER_SEGV;
    weft_type_scatter(weft_offload_root(head), head->mem, payload->offset, payload->base,
                      payload->length);
    return PTL_HANDLER_SUCCESS;
}

const struct weft_offload_strategy_kind weft_offload_seek = {
    .name = "seek", .wants_index = true, .handler = WEFT_OFFLOAD_HANDLER(on_payload)};
