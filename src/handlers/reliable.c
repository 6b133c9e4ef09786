/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"

#include "packet/packet.h"

/* Whether nobody has claimed it before. */
static bool claim(struct weft_handler_reliable *reliable, uint64_t number)
{
    uint64_t *word = &reliable->seen[number / 64], bit = (uint64_t)1 << number % 64, before;
    do {
        PtlHandlerFAdd(word, &before, 0);
        if (before & bit)
            return false;
    } while (!PtlHandlerCAS(word, before, before | bit));
    return true;
}

static ptl_handler_result_t take_first(const ptl_header_t *header, void *state)
{
    struct weft_handler_reliable *reliable = state;
    if (header->length > reliable->longest || header->hdr_data >= WEFT_HANDLER_RELIABLE_MESSAGES)
        return PTL_HANDLER_FAIL;
    return claim(reliable, header->hdr_data) ? PTL_HANDLER_PROCESS_DATA : PTL_HANDLER_DROP_PENDING;
}

static void forward(const struct weft_handler_reliable *reliable, const ptl_header_t *message,
                    const ptl_payload_t *payload)
{
    /* One that cannot be sent, to somebody who may be dead, must not keep it from the others. */
    for (uint32_t i = 0; i < reliable->neighbours.count; i++)
        (void)weft_handler_send(payload->base, payload->length, reliable->neighbours.process[i],
                                reliable->match_bits, message->offset, message->hdr_data);
}

static ptl_handler_result_t relay_packet(const ptl_payload_t *payload, void *state)
{
    ptl_header_t message;
    PtlHandlerHeader(&message);
    forward(state, &message, payload);
    return weft_handler_result(
        PtlHandlerDMAToHostB(payload->base, message.offset, payload->length, PTL_ME_HOST_MEM));
}

/* Empty messages have no packets to forward. */
static ptl_handler_result_t forward_empty(ptl_size_t dropped_bytes, int flow_control_triggered,
                                          void *state)
{
    ptl_header_t message;
    PtlHandlerHeader(&message);
    if (message.length == 0 && !dropped_bytes && !flow_control_triggered)
        forward(state, &message, &(ptl_payload_t){.length = 0});
    return PTL_HANDLER_SUCCESS;
}

int weft_handler_reliable(ptl_handle_ni_t ni, struct weft_handler_reliable *reliable,
                          ptl_handlers_t *handlers)
{
    ptl_handler_limits_t limits;
    if (reliable->neighbours.count > WEFT_HANDLER_PEERS)
        return PTL_ARG_INVALID;
    int result = PtlNIHandlerLimits(ni, NULL, &limits);
    if (result != PTL_OK)
        return result;
    /* The first packet of a message has longer headers than those that the limit is for. */
    reliable->longest = limits.max_payload_size - WEFT_PACKET_HEADERS;
    result = weft_handler_open(ni, reliable, sizeof *reliable, handlers);
    handlers->header_handler = take_first;
    handlers->payload_handler = relay_packet;
    handlers->completion_handler = forward_empty;
    return result;
}
