/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/sched.h"

#include "nic/answer.h"
#include "nic/atomic.h"
#include "nic/dma.h"
#include "nic/entry.h"
#include "nic/event.h"
#include "nic/header.h"
#include "nic/match.h"

/* ---- The end of a message ----------------------------------------------------------------- */

static ptl_event_kind_t event_of(uint8_t kind)
{
    switch (kind) {
    case WEFT_PACKET_PUT:
        return PTL_EVENT_PUT;
    case WEFT_PACKET_GET:
        return PTL_EVENT_GET;
    case WEFT_PACKET_ATOMIC:
        return PTL_EVENT_ATOMIC;
    default:
        return PTL_EVENT_FETCH_ATOMIC;
    }
}

static void report(const struct weft_delivery *delivery)
{
    const struct weft_entry *entry = delivery->entry;
    unsigned options = entry->options;
    bool failed = delivery->fail != PTL_NI_OK;
    if (!(options & PTL_ME_EVENT_COMM_DISABLE) &&
        (failed || !(options & PTL_ME_EVENT_SUCCESS_DISABLE)))
        weft_event_target(delivery, entry, event_of(delivery->kind), entry->user_ptr);
    if (options & PTL_ME_EVENT_CT_COMM)
        weft_event_count(delivery->ni, entry->ct, delivery->fail,
                         options & PTL_ME_EVENT_CT_BYTES ? delivery->length : 1);
    if (delivery->last_use && !(options & PTL_ME_EVENT_UNLINK_DISABLE))
        weft_event_entry(entry, PTL_EVENT_AUTO_UNLINK);
}

void weft_sched_finish(struct weft_delivery *delivery)
{
    if (!delivery->entry)
        return;
    weft_event_promise(delivery->ni, delivery->pt->eq, -delivery->promised);
    report(delivery);
    /* PtlPTDisable waits for this, and the message may end without an event that wakes it. */
    if (--delivery->pt->pending == 0 && !delivery->pt->enabled)
        delivery->ni->nic->posted++;
    if (delivery->header)
        weft_header_close(delivery->header, delivery->fail);
    weft_entry_release(delivery->entry);
    delivery->entry = NULL;
}

/* ---- Arrival ------------------------------------------------------------------------------ */

/* What of a payload at `offset` of the message lies within the part that is kept. */
static size_t kept(const struct weft_delivery *delivery, uint64_t offset, size_t size)
{
    if (offset >= delivery->length)
        return 0;
    uint64_t left = delivery->length - offset;
    return left < size ? (size_t)left : size;
}

static void write_payload(struct weft_delivery *delivery, uint64_t offset,
                          const unsigned char *payload, size_t size)
{
    size_t part = kept(delivery, offset, size);
    if (part &&
        !weft_dma_write(&delivery->entry->region, delivery->offset + offset, payload, part))
        delivery->fail = PTL_NI_SEGV;
}

static void take_put(struct weft_nic *nic, struct weft_peer *peer,
                     const struct weft_packet *packet, struct weft_delivery *delivery)
{
    write_payload(delivery, 0, packet->payload, packet->head.length);
    if (packet->head.length == delivery->request.length) {
        weft_sched_finish(delivery);
        weft_answer_acknowledge(nic, peer, delivery);
        return;
    }
    peer->inbound.delivery = *delivery;
    peer->inbound.received = packet->head.length;
    peer->inbound.open = true;
}

static void take_atomic(struct weft_nic *nic, struct weft_peer *peer,
                        const struct weft_packet *packet, struct weft_delivery *delivery)
{
    bool fetches = delivery->kind != WEFT_PACKET_ATOMIC;
    unsigned char before[WEFT_PACKET_ATOMIC_MAX];
    if (delivery->entry) {
        const struct weft_region *region = &delivery->entry->region;
        const struct weft_packet_request *request = &delivery->request;
        size_t size = (size_t)delivery->length;
        if (fetches)
            weft_dma_read(region, delivery->offset, before, size);
        if (size)
            weft_dma_atomic(region, delivery->offset, packet->payload + request->operand, size,
                            (ptl_op_t)request->atomic_operation,
                            (ptl_datatype_t)request->atomic_type, packet->payload);
        weft_sched_finish(delivery);
    }
    if (fetches)
        weft_answer_reply(nic, peer, delivery, before);
    else
        weft_answer_acknowledge(nic, peer, delivery);
}

/* An operation that this version does not know must not reach memory. */
static bool is_known(const struct weft_packet *packet)
{
    const struct weft_packet_request *request = &packet->request;
    if (packet->head.kind == WEFT_PACKET_PUT || packet->head.kind == WEFT_PACKET_GET)
        return true;
    ptl_op_t operation = (ptl_op_t)request->atomic_operation;
    ptl_datatype_t type = (ptl_datatype_t)request->atomic_type;
    if (!weft_atomic_exists(operation, type) || request->length % weft_atomic_size(type))
        return false;
    bool has_operand = operation > PTL_SWAP && operation <= PTL_MSWAP;
    return request->operand == (has_operand ? weft_atomic_size(type) : 0);
}

/* In the terms of the interface; false if the packet claims a rank that it does not have. */
static bool name_initiator(const struct weft_ni *ni, const struct weft_peer *peer,
                           struct weft_delivery *delivery)
{
    delivery->initiator.phys.nid = peer->address.nid;
    delivery->initiator.phys.pid = peer->address.pid;
    if (!ni->logical)
        return true;
    ptl_rank_t rank = delivery->request.rank;
    if (rank >= ni->map_size || ni->map[rank].phys.nid != peer->address.nid ||
        ni->map[rank].phys.pid != peer->address.pid)
        return false;
    delivery->initiator = (ptl_process_t){.rank = rank};
    return true;
}

void weft_sched_request(struct weft_nic *nic, struct weft_peer *peer,
                        const struct weft_packet *packet)
{
    struct weft_ni *ni = &nic->nis[packet->head.flags & WEFT_PACKET_NI_MASK];
    struct weft_delivery delivery = {.ni = ni,
                                     .kind = packet->head.kind,
                                     .operation = packet->head.operation,
                                     .request = packet->request};
    /* A new message before the end of the last: the sender is broken, but not in charge. */
    if (peer->inbound.open)
        weft_sched_abandon(peer);
    if (name_initiator(ni, peer, &delivery) && is_known(packet))
        weft_match(&delivery);
    else
        delivery.fail = PTL_NI_DROPPED;
    if (delivery.header)
        weft_header_open(&delivery);
    switch (delivery.kind) {
    case WEFT_PACKET_PUT:
        take_put(nic, peer, packet, &delivery);
        break;
    case WEFT_PACKET_GET:
        weft_answer_reply(nic, peer, &delivery, NULL);
        break;
    default:
        take_atomic(nic, peer, packet, &delivery);
    }
}

bool weft_sched_data(struct weft_nic *nic, struct weft_peer *peer,
                     const struct weft_packet *packet)
{
    struct weft_inbound *inbound = &peer->inbound;
    struct weft_delivery *delivery = &inbound->delivery;
    uint32_t size = packet->head.length;
    if (!inbound->open || packet->place.offset != inbound->received ||
        size > delivery->request.length - inbound->received)
        return false;
    if (delivery->entry)
        write_payload(delivery, inbound->received, packet->payload, size);
    inbound->received += size;
    if (inbound->received == delivery->request.length) {
        inbound->open = false;
        weft_sched_finish(delivery);
        weft_answer_acknowledge(nic, peer, delivery);
    }
    return true;
}

void weft_sched_abandon(struct weft_peer *peer)
{
    struct weft_inbound *inbound = &peer->inbound;
    if (!inbound->open)
        return;
    inbound->open = false;
    inbound->delivery.fail = PTL_NI_UNDELIVERABLE;
    weft_sched_finish(&inbound->delivery);
}

void weft_sched_forget(struct weft_nic *nic, const struct weft_ni *ni)
{
    for (uint32_t i = 0; i < nic->peers.made; i++) {
        struct weft_peer *peer = (struct weft_peer *)weft_pool_at(&nic->peers, i);
        if (peer->slot.next == 0 && peer->inbound.delivery.ni == ni)
            peer->inbound.delivery.entry = NULL;
    }
}
