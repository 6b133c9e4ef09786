/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"

#include <string.h>

/* Bytes that are still at the sender and wanted here. */
static ptl_size_t rest_of(const struct weft_handler_rendezvous *rendezvous,
                          const struct weft_handler_ticket *ticket)
{
    ptl_size_t wanted = ticket->total < rendezvous->room ? ticket->total : rendezvous->room;
    return wanted > rendezvous->eager ? wanted - rendezvous->eager : 0;
}

static ptl_handler_result_t get_rest(const ptl_header_t *header, void *state)
{
    const struct weft_handler_rendezvous *rendezvous = state;
    struct weft_handler_ticket ticket;
    if (header->length <= rendezvous->eager)
        return PTL_HANDLER_PROCEED;
    if (header->user_hdr_length < sizeof ticket)
        return PTL_HANDLER_FAIL;
    memcpy(&ticket, header->user_hdr, sizeof ticket);
    int result = PtlHandlerGetToHost(rendezvous->eager, rest_of(rendezvous, &ticket),
                                     PTL_ME_HOST_MEM, PTL_NO_CT_REQ, header->source_id, ticket.tag,
                                     rendezvous->eager, rendezvous->user_ptr);
    return result == PTL_OK ? PTL_HANDLER_PROCESS_DATA : PTL_HANDLER_FAIL;
}

static ptl_handler_result_t store(const ptl_payload_t *payload, void *state)
{
    (void)state;
    return weft_handler_result(
        PtlHandlerDMAToHostB(payload->base, payload->offset, payload->length, PTL_ME_HOST_MEM));
}

int weft_handler_rendezvous(ptl_handle_ni_t ni, const struct weft_handler_rendezvous *rendezvous,
                            ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, rendezvous, sizeof *rendezvous, handlers);
    handlers->header_handler = get_rest;
    handlers->payload_handler = store;
    handlers->user_hdr_size = sizeof(struct weft_handler_ticket);
    return result;
}

/* ---- On the host -------------------------------------------------------------------------- */

ptl_size_t weft_handler_rendezvous_begin(ptl_size_t eager, const void *data, ptl_size_t length,
                                         ptl_match_bits_t tag, void *message)
{
    const struct weft_handler_ticket ticket = {.total = length, .tag = tag};
    if (length <= eager) {
        memcpy(message, data, length);
        return length;
    }
    memcpy(message, &ticket, sizeof ticket);
    memcpy((unsigned char *)message + sizeof ticket, data, eager);
    return sizeof ticket + eager;
}

static void copy(void *memory, ptl_size_t room, const void *data, ptl_size_t length)
{
    memcpy(memory, data, length < room ? length : room);
}

int weft_handler_rendezvous_late(const struct weft_handler_rendezvous *rendezvous,
                                 const ptl_event_t *event, ptl_handle_md_t md, void *memory)
{
    struct weft_handler_ticket ticket;
    const unsigned char *start = event->start;
    if (event->rlength <= rendezvous->eager) {
        copy(memory, rendezvous->room, start, event->mlength);
        return PTL_OK;
    }
    if (event->mlength < sizeof ticket + rendezvous->eager)
        return PTL_FAIL; /* the entry of the overflow list was too short */
    memcpy(&ticket, start, sizeof ticket);
    copy(memory, rendezvous->room, start + sizeof ticket, rendezvous->eager);
    return PtlGet(md, rendezvous->eager, rest_of(rendezvous, &ticket), event->initiator,
                  event->pt_index, ticket.tag, rendezvous->eager, rendezvous->user_ptr);
}
