/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/sched.h"

#include "base/inline.h"
#include "base/rare.h"
#include "nic/activation.h"
#include "nic/answer.h"
#include "nic/atomic.h"
#include "nic/dma.h"
#include "nic/entry.h"
#include "nic/event.h"
#include "nic/header.h"
#include "nic/link.h"
#include "nic/match.h"
#include "nic/scatter.h"
#include "nic/stages.h"
#include "nic/trace.h"

/* ---- The end of a message ----------------------------------------------------------------- */

static inline ptl_event_kind_t event_of(uint8_t kind)
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

static inline void report(const struct weft_nic_delivery *delivery,
                          const struct weft_nic_entry *entry, ptl_event_kind_t type)
{
    unsigned options = entry->options;
    bool failed = delivery->fail != PTL_NI_OK;
    if (!(options & PTL_ME_EVENT_COMM_DISABLE) &&
        (failed || !(options & PTL_ME_EVENT_SUCCESS_DISABLE)))
        weft_nic_event_target(delivery, entry, type, entry->user_ptr);
    if (options & PTL_ME_EVENT_CT_COMM)
        weft_nic_event_count(delivery->ni, entry->ct, delivery->fail,
                             options & PTL_ME_EVENT_CT_BYTES ? delivery->length : 1);
    if (weft_rare(delivery->last_use) && !(options & PTL_ME_EVENT_UNLINK_DISABLE))
        weft_nic_event_entry(entry, PTL_EVENT_AUTO_UNLINK);
}

/* The message is over, but not for its entry: nothing is said unless it failed, and an entry that
 * was unlinked for it comes back. */
static void suspend(struct weft_nic_delivery *delivery, ptl_event_kind_t type)
{
    struct weft_nic_entry *entry = delivery->entry;
    bool was_unlinked = delivery->last_use;
    delivery->last_use = false;
    if (delivery->fail != PTL_NI_OK)
        report(delivery, entry, type);
    if (was_unlinked)
        weft_nic_entry_relink(entry);
}

/* With flow control or handlers. */
static __attribute__((noinline)) void report_rarely(struct weft_nic_delivery *delivery,
                                                    ptl_event_kind_t type)
{
    weft_nic_event_promise(delivery->ni, delivery->pt->eq, -delivery->promised);
    if (delivery->is_pending)
        suspend(delivery, type);
    else
        report(delivery, delivery->entry, type);
}

/* Inlined into the way of a put: the shortest, and the one that most packets go. */
WEFT_INLINE void finish(struct weft_nic_delivery *delivery, ptl_event_kind_t type)
{
    struct weft_nic_entry *entry = delivery->entry;
    struct weft_nic_pt *pt = delivery->pt;
    if (weft_rare(!entry))
        return;
    if (weft_rare(delivery->promised | delivery->is_pending))
        report_rarely(delivery, type);
    else
        report(delivery, entry, type);
    /* PtlPTDisable waits for this, and the message may end without an event that wakes it. */
    if (--pt->pending == 0 && !pt->enabled)
        delivery->ni->nic->posted++;
    if (weft_rare(delivery->header != NULL))
        weft_nic_header_close(delivery);
    weft_nic_entry_release(entry);
    delivery->entry = NULL;
}

void weft_nic_sched_finish(struct weft_nic_delivery *delivery)
{
    finish(delivery, event_of(delivery->kind));
}

/* ---- Arrival ------------------------------------------------------------------------------ */

/* What of a payload at `offset` of the message lies within the part that is kept. */
static inline size_t kept(const struct weft_nic_delivery *delivery, uint64_t offset, size_t size)
{
    uint64_t end = offset + size < delivery->length ? offset + size : delivery->length;
    return end > offset ? (size_t)(end - offset) : 0;
}

static inline void write_payload(struct weft_nic_delivery *delivery, uint64_t offset,
                                 const unsigned char *payload, size_t size)
{
    size_t part = kept(delivery, offset, size);
    if (part &&
        !weft_nic_dma_write(&delivery->entry->region, delivery->offset + offset, payload, part))
        delivery->fail = PTL_NI_SEGV;
}

bool weft_nic_sched_write(const struct weft_nic_delivery *delivery,
                          const struct weft_nic_region *region, uint64_t offset,
                          const unsigned char *payload, size_t size)
{
    size_t part = kept(delivery, offset, size);
    return part == 0 || weft_nic_dma_write(region, delivery->offset + offset, payload, part);
}

void weft_nic_sched_end(struct weft_nic *nic, struct weft_nic_peer *peer,
                        struct weft_nic_delivery *delivery)
{
    weft_nic_sched_finish(delivery);
    weft_nic_answer_acknowledge(nic, peer, delivery);
}

void weft_nic_sched_atomic(struct weft_nic *nic, struct weft_nic_peer *peer,
                           const unsigned char *payload, struct weft_nic_delivery *delivery)
{
    bool fetches = delivery->kind != WEFT_PACKET_ATOMIC;
    unsigned char before[WEFT_PACKET_ATOMIC_MAX];
    if (delivery->entry) {
        const struct weft_nic_region *region = &delivery->entry->region;
        const struct weft_packet_request *request = &delivery->request;
        size_t size = (size_t)delivery->length;
        if (fetches)
            weft_nic_dma_read(region, delivery->offset, before, size);
        if (size)
            weft_nic_dma_atomic(region, delivery->offset, payload + request->operand, size,
                                (ptl_op_t)request->atomic_operation,
                                (ptl_datatype_t)request->atomic_type, payload);
        weft_nic_sched_finish(delivery);
    }
    if (fetches)
        weft_nic_answer_reply(nic, peer, delivery, before);
    else
        weft_nic_answer_acknowledge(nic, peer, delivery);
}

/* An operation that this version does not know must not reach memory. */
static bool is_known(const struct weft_packet *packet)
{
    const struct weft_packet_request *request = &packet->request;
    if (packet->head.kind == WEFT_PACKET_GET)
        return true;
    ptl_op_t operation = (ptl_op_t)request->atomic_operation;
    ptl_datatype_t type = (ptl_datatype_t)request->atomic_type;
    if (!weft_nic_atomic_exists(operation, type) || request->length % weft_nic_atomic_size(type))
        return false;
    bool has_operand = operation > PTL_SWAP && operation <= PTL_MSWAP;
    return request->operand == (has_operand ? weft_nic_atomic_size(type) : 0);
}

/* In the terms of the interface; false if the packet claims a rank that it does not have. */
static inline bool name_initiator(const struct weft_nic_ni *ni, const struct weft_nic_peer *peer,
                                  struct weft_nic_delivery *delivery)
{
    if (!ni->logical) {
        delivery->initiator.phys.nid = peer->address.nid;
        delivery->initiator.phys.pid = peer->address.pid;
        return true;
    }
    ptl_rank_t rank = delivery->request.rank;
    if (rank >= ni->map_size || ni->map[rank].phys.nid != peer->address.nid ||
        ni->map[rank].phys.pid != peer->address.pid)
        return false;
    delivery->initiator = (ptl_process_t){.rank = rank};
    return true;
}

static void trace_match(struct weft_nic *nic, const struct weft_nic_peer *peer,
                        const struct weft_nic_delivery *delivery)
{
    enum weft_trace_match list = WEFT_TRACE_MATCH_NONE;
    if (delivery->entry)
        list = delivery->list == PTL_OVERFLOW_LIST ? WEFT_TRACE_MATCH_OVERFLOW
                                                   : WEFT_TRACE_MATCH_PRIORITY;
    weft_nic_trace(nic, WEFT_TRACE_MATCH, peer, list | (uint64_t)delivery->fail << 8,
                   delivery->request.length);
}

/* Not inlined, so that nobody saves registers for it unless somebody watches. */
static __attribute__((noinline, cold)) void watch(struct weft_nic *nic,
                                                  const struct weft_nic_peer *peer,
                                                  const struct weft_packet *packet,
                                                  struct weft_nic_delivery *delivery)
{
    trace_match(nic, peer, delivery);
    if (!delivery->entry || delivery->execution)
        return;
    if (nic->timing)
        delivery->execution = &nic->timing->plain;
    else if (delivery->kind == WEFT_PACKET_PUT)
        delivery->execution = weft_nic_scatter_execution(nic, &delivery->entry->region, packet,
                                                         delivery->request.length);
}

/* Everything up to the payload; `known`: the operation is one. */
WEFT_INLINE void begin(struct weft_nic *nic, struct weft_nic_peer *peer,
                       const struct weft_packet *packet, bool known,
                       struct weft_nic_delivery *delivery)
{
    /* A new message before the end of the last: the sender is broken, but not in charge. */
    if (weft_rare(peer->inbound.open))
        weft_nic_sched_abandon(peer);
    struct weft_nic_ni *ni = nic->nis + (packet->head.flags & WEFT_PACKET_NI_MASK);
    *delivery = (struct weft_nic_delivery){.ni = ni,
                                           .kind = packet->head.kind,
                                           .operation = packet->head.operation,
                                           .request = packet->request};
    if (name_initiator(ni, peer, delivery) && known)
        weft_nic_match(delivery);
    else
        delivery->fail = PTL_NI_DROPPED;
    if (weft_rare(nic->is_watched))
        watch(nic, peer, packet, delivery);
    if (weft_rare(delivery->header != NULL))
        weft_nic_header_open(delivery);
}

void weft_nic_sched_put(struct weft_nic *nic, struct weft_nic_peer *peer,
                        const struct weft_packet *packet)
{
    struct weft_nic_delivery delivery;
    begin(nic, peer, packet, true, &delivery);
    if (weft_rare(delivery.execution != NULL)) {
        weft_nic_activation_begin(nic, peer, packet, &delivery);
        return;
    }
    write_payload(&delivery, 0, packet->payload, packet->head.length);
    if (packet->head.length == delivery.request.length) {
        finish(&delivery, PTL_EVENT_PUT);
        weft_nic_answer_acknowledge(nic, peer, &delivery);
        return;
    }
    peer->inbound.delivery = delivery;
    peer->inbound.activation = NULL;
    peer->inbound.received = packet->head.length;
    peer->inbound.open = true;
}

void weft_nic_sched_request(struct weft_nic *nic, struct weft_nic_peer *peer,
                            const struct weft_packet *packet)
{
    struct weft_nic_delivery delivery;
    begin(nic, peer, packet, is_known(packet), &delivery);
    if (weft_rare(delivery.execution != NULL))
        weft_nic_activation_begin(nic, peer, packet, &delivery);
    else if (delivery.kind == WEFT_PACKET_GET)
        weft_nic_answer_reply(nic, peer, &delivery, NULL);
    else
        weft_nic_sched_atomic(nic, peer, packet->payload, &delivery);
}

/* Payload at `offset` of the open message. */
WEFT_INLINE void take_data(struct weft_nic *nic, struct weft_nic_peer *peer,
                           const struct weft_packet *packet, uint64_t offset)
{
    struct weft_nic_inbound *inbound = &peer->inbound;
    struct weft_nic_delivery *delivery = &inbound->delivery;
    uint32_t size = packet->head.length;
    inbound->received += size;
    bool last = inbound->received == delivery->request.length;
    inbound->open = !last;
    if (weft_rare(inbound->activation != NULL)) {
        weft_nic_activation_data(inbound->activation, packet, offset, last);
        return;
    }
    if (delivery->entry)
        write_payload(delivery, offset, packet->payload, size);
    if (last)
        weft_nic_sched_end(nic, peer, delivery);
}

static inline bool is_next(const struct weft_nic_inbound *inbound,
                           const struct weft_packet *packet)
{
    return inbound->open && packet->place.offset == inbound->received &&
           packet->head.length <= inbound->delivery.request.length - inbound->received;
}

bool weft_nic_sched_data(struct weft_nic *nic, struct weft_nic_peer *peer,
                         const struct weft_packet *packet)
{
    const struct weft_nic_inbound *inbound = &peer->inbound;
    if (!is_next(inbound, packet))
        return false;
    take_data(nic, peer, packet, inbound->received);
    return true;
}

unsigned char *weft_nic_sched_landing(const struct weft_nic_peer *peer,
                                      const struct weft_packet *packet)
{
    const struct weft_nic_inbound *inbound = &peer->inbound;
    const struct weft_nic_delivery *delivery = &inbound->delivery;
    uint64_t offset = inbound->received;
    size_t size = packet->head.length;
    if (!is_next(inbound, packet) || inbound->activation || !delivery->entry ||
        kept(delivery, offset, size) < size)
        return NULL;
    return weft_nic_dma_block(&delivery->entry->region, delivery->offset + offset, size);
}

/* All packets of a message are full but the last. */
static uint32_t number_in_message(const struct weft_nic_peer *peer, uint64_t offset)
{
    uint64_t first = weft_nic_link_room(peer, WEFT_PACKET_PUT);
    uint64_t room = weft_nic_link_room(peer, WEFT_PACKET_DATA);
    return (uint32_t)((offset + room - first) / room);
}

bool weft_nic_sched_range(struct weft_nic *nic, struct weft_nic_peer *peer,
                          const struct weft_packet *packet)
{
    const struct weft_nic_inbound *inbound = &peer->inbound;
    uint64_t length = inbound->delivery.request.length, offset = packet->place.offset;
    uint32_t size = packet->head.length;
    if (!inbound->open || size > length - inbound->received || offset > length - size)
        return false;
    if (inbound->activation)
        inbound->activation->packets = number_in_message(peer, offset);
    take_data(nic, peer, packet, offset);
    return true;
}

void weft_nic_sched_abandon(struct weft_nic_peer *peer)
{
    struct weft_nic_inbound *inbound = &peer->inbound;
    if (!inbound->open)
        return;
    inbound->open = false;
    if (inbound->activation) {
        weft_nic_activation_abandon(inbound->activation,
                                    inbound->delivery.request.length - inbound->received);
        return;
    }
    inbound->delivery.fail = PTL_NI_UNDELIVERABLE;
    weft_nic_sched_finish(&inbound->delivery);
}

void weft_nic_sched_forget(struct weft_nic *nic, const struct weft_nic_ni *ni)
{
    for (uint32_t i = 0; i < nic->peers.made; i++) {
        struct weft_nic_peer *peer = (struct weft_nic_peer *)weft_pool_at(&nic->peers, i);
        peer->waits_for = NULL; /* perhaps for nobody but the interface that closes */
        if (peer->slot.next != 0 || peer->inbound.delivery.ni != ni)
            continue;
        peer->inbound.delivery.entry = NULL;
        peer->inbound.activation = NULL;
    }
    weft_nic_activation_forget(nic, ni);
}
