/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"

static int forward_packet(const struct weft_handler_broadcast *broadcast,
                          const ptl_header_t *message, const ptl_payload_t *payload)
{
    int result = PTL_OK;
    for (uint32_t i = 0; i < broadcast->children.count && result == PTL_OK; i++)
        result = weft_handler_send(payload->base, payload->length, broadcast->children.process[i],
                                   broadcast->match_bits, message->offset + payload->offset,
                                   message->hdr_data);
    return result;
}

/* The children get the packet while it is on its way to host memory. */
static ptl_handler_result_t take_packet(const ptl_payload_t *payload, void *state)
{
    const struct weft_handler_broadcast *broadcast = state;
    ptl_header_t message;
    ptl_dma_t store;
    PtlHandlerHeader(&message);
    int result = PtlHandlerDMAToHostNB(payload->base, message.offset + payload->offset,
                                       payload->length, PTL_DMA_NO_EVENT, &store);
    if (result != PTL_OK)
        return PTL_HANDLER_FAIL;
    if (message.length <= broadcast->stream)
        result = forward_packet(broadcast, &message, payload);
    PtlHandlerDMAWait(store);
    return weft_handler_result(result);
}

static ptl_handler_result_t forward_message(ptl_size_t dropped_bytes, int flow_control_triggered,
                                            void *state)
{
    const struct weft_handler_broadcast *broadcast = state;
    ptl_header_t message;
    int result = PTL_OK;
    if (!weft_handler_is_stored(&message, broadcast->stream, dropped_bytes,
                                flow_control_triggered))
        return PTL_HANDLER_SUCCESS;
    for (uint32_t i = 0; i < broadcast->children.count && result == PTL_OK; i++)
        result = weft_handler_send_stored(&message, broadcast->children.process[i],
                                          broadcast->match_bits);
    return weft_handler_result(result);
}

int weft_handler_broadcast(ptl_handle_ni_t ni, const struct weft_handler_broadcast *broadcast,
                           ptl_handlers_t *handlers)
{
    if (broadcast->children.count > WEFT_HANDLER_PEERS)
        return PTL_ARG_INVALID;
    int result = weft_handler_open(ni, broadcast, sizeof *broadcast, handlers);
    handlers->payload_handler = take_packet;
    handlers->completion_handler = forward_message;
    return result;
}
