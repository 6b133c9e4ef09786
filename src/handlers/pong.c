/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"

static ptl_handler_result_t answer_packet(const ptl_payload_t *payload, void *state)
{
    const struct weft_handler_pong *pong = state;
    ptl_header_t message;
    PtlHandlerHeader(&message);
    ptl_size_t place = message.offset + payload->offset;
    if (message.length > pong->stream)
        return weft_handler_result(
            PtlHandlerDMAToHostB(payload->base, place, payload->length, PTL_ME_HOST_MEM));
    return weft_handler_result(weft_handler_send(payload->base, payload->length, message.source_id,
                                                 pong->match_bits, place, message.hdr_data));
}

static ptl_handler_result_t answer_message(ptl_size_t dropped_bytes, int flow_control_triggered,
                                           void *state)
{
    const struct weft_handler_pong *pong = state;
    ptl_header_t message;
    if (!weft_handler_is_stored(&message, pong->stream, dropped_bytes, flow_control_triggered))
        return PTL_HANDLER_SUCCESS;
    return weft_handler_result(
        weft_handler_send_stored(&message, message.source_id, pong->match_bits));
}

int weft_handler_pong(ptl_handle_ni_t ni, const struct weft_handler_pong *pong,
                      ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, pong, sizeof *pong, handlers);
    handlers->payload_handler = answer_packet;
    handlers->completion_handler = answer_message;
    return result;
}
