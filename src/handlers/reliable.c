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

/* ---- Parts -------------------------------------------------------------------------------- */

/* The hdr_data of a part: the number of its message, which part it is, and of how many. That of a
 * whole message is its number alone. */
struct part {
    uint64_t number, index, count; /* the last is 0 of a whole message */
};

static struct part part_of(ptl_hdr_data_t hdr_data)
{
    return (struct part){weft_handler_reliable_number(hdr_data), hdr_data >> 16 & 0xffff,
                         hdr_data >> 32};
}

static ptl_hdr_data_t name_part(struct part part)
{
    return part.number | part.index << 16 | part.count << 32;
}

static uint64_t parts_in(const struct weft_handler_reliable *reliable, ptl_size_t length)
{
    return (length + reliable->longest - 1) / reliable->longest;
}

static bool has_numbers(uint64_t first, uint64_t count)
{
    return first < WEFT_HANDLER_RELIABLE_MESSAGES &&
           count <= WEFT_HANDLER_RELIABLE_MESSAGES - first;
}

/* A part has come; whether it was the last that was missing. */
static bool is_whole(struct weft_handler_reliable *reliable, struct part part)
{
    uint64_t before, lane = part.number % 4 * 16;
    PtlHandlerFAdd(&reliable->arrived[part.number / 4], &before, (uint64_t)1 << lane);
    return (before >> lane & 0xffff) + 1 == part.count;
}

/* ---- Handlers ----------------------------------------------------------------------------- */

/* A message that has to be cut, at its root. Its copies, all parts, must find that it is known. */
static ptl_handler_result_t take_long(struct weft_handler_reliable *reliable,
                                      const ptl_header_t *header, struct part part)
{
    uint64_t count = parts_in(reliable, header->length);
    if (part.count || !has_numbers(part.number, count))
        return PTL_HANDLER_FAIL;
    if (!claim(reliable, part.number))
        return PTL_HANDLER_DROP_PENDING;
    for (uint64_t i = 1; i < count; i++)
        claim(reliable, part.number + i);
    return PTL_HANDLER_PROCESS_DATA;
}

static ptl_handler_result_t take_first(const ptl_header_t *header, void *state)
{
    struct weft_handler_reliable *reliable = state;
    struct part part = part_of(header->hdr_data);
    if (header->length > reliable->longest)
        return take_long(reliable, header, part);
    if (part.count ? part.index >= part.count : part.index)
        return PTL_HANDLER_FAIL;
    if (!has_numbers(part.number, part.count ? part.count : 1))
        return PTL_HANDLER_FAIL;
    return claim(reliable, part.number + part.index) ? PTL_HANDLER_PROCESS_DATA
                                                     : PTL_HANDLER_DROP_PENDING;
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
    const struct weft_handler_reliable *reliable = state;
    ptl_header_t message;
    PtlHandlerHeader(&message);
    if (message.length <= reliable->longest)
        forward(reliable, &message, payload);
    return weft_handler_result(PtlHandlerDMAToHostB(
        payload->base, message.offset + payload->offset, payload->length, PTL_ME_HOST_MEM));
}

/* Each part is one packet again, wherever it goes. */
static void send_parts(const struct weft_handler_reliable *reliable, const ptl_header_t *message)
{
    struct part part = part_of(message->hdr_data);
    part.count = parts_in(reliable, message->length);
    for (; part.index < part.count; part.index++) {
        ptl_size_t at = part.index * reliable->longest, left = message->length - at;
        ptl_size_t length = left < reliable->longest ? left : reliable->longest;
        for (uint32_t i = 0; i < reliable->neighbours.count; i++)
            (void)PtlHandlerPutFromHost(message->offset + at, length, PTL_ME_HOST_MEM,
                                        PTL_NO_CT_REQ, PTL_NO_ACK_REQ,
                                        reliable->neighbours.process[i], reliable->match_bits,
                                        message->offset + at, NULL, name_part(part));
    }
}

/* Empty messages have no packets to forward, long ones were not forwarded yet, and of a message in
 * parts only the last has an event. */
static ptl_handler_result_t complete(ptl_size_t dropped_bytes, int flow_control_triggered,
                                     void *state)
{
    struct weft_handler_reliable *reliable = state;
    ptl_header_t message;
    PtlHandlerHeader(&message);
    struct part part = part_of(message.hdr_data);
    if (dropped_bytes || flow_control_triggered)
        return PTL_HANDLER_SUCCESS;
    if (message.length == 0)
        forward(reliable, &message, &(ptl_payload_t){.length = 0});
    if (message.length > reliable->longest)
        send_parts(reliable, &message);
    return part.count == 0 || is_whole(reliable, part) ? PTL_HANDLER_SUCCESS
                                                       : PTL_HANDLER_SUCCESS_PENDING;
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
    handlers->completion_handler = complete;
    return result;
}
