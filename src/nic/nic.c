/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Read this first: the way of a packet through the NIC.
 *
 *     world --> rx --> link --> match --> sched --> hpu --> dma --> event --> program
 *                |                          |        |                |
 *                +--> result (ACK, REPLY)   +--> answer               +--> trigger --+
 *                                                 |  |                               |
 *     world <------------------ link <------------+--+------- tx <-------------------+- program
 *
 * rx      checks a packet and hands it to the stage of its kind (here)
 * link    numbers and repeats packets where the world may lose them, and puts them in order
 * match   finds the list entry of a message
 * sched   keeps the packets of a message together, and ends it
 * hpu     runs the handlers of a message that has some, in the order that activation.h says
 * dma     touches the program's memory
 * event   posts full events and counts
 * trigger starts operations when counters reach their thresholds
 * answer  sends acknowledgements and replies
 * tx      cuts operations into packets
 * result  ends an operation whose answer has come
 *
 * Nothing here waits, allocates for a packet, or knows where the packets come from.
 */
#include "nic/nic.h"

#include <stdlib.h>

#include "base/inline.h"
#include "base/rare.h"
#include "nic/activation.h"
#include "nic/hpu.h"
#include "nic/interface.h"
#include "nic/link.h"
#include "nic/result.h"
#include "nic/sched.h"
#include "nic/stages.h"
#include "nic/state.h"
#include "nic/trace.h"
#include "nic/trigger.h"
#include "nic/tx.h"
#include "packet/decode.h"

/* ---- A round ------------------------------------------------------------------------------ */

bool weft_nic_step(struct weft_nic *nic)
{
    /* HPUs that are done make room for packets. What they cannot take yet waits in the world. */
    bool any = weft_nic_hpu_step(nic);
    if (nic->world->ops->poll(nic->world, nic) > 0) {
        any = true; /* it has called weft_nic_receive */
        weft_nic_hpu_step(nic);
    }
    if (!weft_list_is_empty(&nic->busy))
        any |= weft_nic_tx_step(nic);
    any |= weft_nic_link_step(nic);
    if (weft_rare(nic->timing != NULL))
        any |= weft_nic_activation_settle(nic);
    weft_nic_trigger_run(nic);
    return any;
}

__attribute__((noinline)) void weft_nic_trace_write_at(struct weft_nic_world *world, uint64_t time,
                                                       enum weft_trace_what what,
                                                       const struct weft_nic_peer *peer,
                                                       uint64_t a, uint64_t b)
{
    struct weft_trace_line record = {.time = time, .a = a, .b = b, .what = what};
    if (peer) {
        record.peer_nid = peer->address.nid;
        record.peer_pid = peer->address.pid;
    }
    world->ops->trace(world, &record);
}

__attribute__((noinline)) void weft_nic_trace_write(struct weft_nic_world *world,
                                                    enum weft_trace_what what,
                                                    const struct weft_nic_peer *peer, uint64_t a,
                                                    uint64_t b)
{
    weft_nic_trace_write_at(world, world->ops->now(world), what, peer, a, b);
}

/* ---- rx ----------------------------------------------------------------------------------- */

static void refuse(struct weft_nic *nic, const struct weft_nic_peer *peer, uint64_t fault)
{
    nic->refused++;
    weft_nic_trace(nic, WEFT_TRACE_DROP, peer, fault, 0);
}

/* Apart from the most frequent kind, so that no compiler makes one jump table of all. False if the
 * packet does not belong to anything that is under way. */
static __attribute__((noinline)) bool
dispatch_other(struct weft_nic *nic, struct weft_nic_peer *peer, const struct weft_packet *packet)
{
    switch ((enum weft_packet_kind)packet->head.kind) {
    case WEFT_PACKET_GET:
    case WEFT_PACKET_ATOMIC:
    case WEFT_PACKET_FETCH_ATOMIC:
    case WEFT_PACKET_SWAP:
        weft_nic_sched_request(nic, peer, packet);
        return true;
    case WEFT_PACKET_DATA:
        return weft_nic_sched_data(nic, peer, packet);
    case WEFT_PACKET_ACK:
        return weft_nic_result_ack(nic, peer, packet);
    case WEFT_PACKET_REPLY:
        return weft_nic_result_reply(nic, peer, packet);
    case WEFT_PACKET_REPLY_DATA:
        return weft_nic_result_data(nic, peer, packet);
    case WEFT_PACKET_LOST:
        return weft_nic_result_lost(nic, peer, packet);
    case WEFT_PACKET_NONE:
    case WEFT_PACKET_PUT:
    case WEFT_PACKET_LINK:
    case WEFT_PACKET_KINDS:
        break;
    }
    return true;
}

static inline bool dispatch(struct weft_nic *nic, struct weft_nic_peer *peer,
                            const struct weft_packet *packet)
{
    if (packet->head.kind != WEFT_PACKET_PUT)
        return dispatch_other(nic, peer, packet);
    weft_nic_sched_put(nic, peer, packet);
    return true;
}

static bool dispatch_numbered(struct weft_nic *nic, struct weft_nic_peer *peer,
                              const struct weft_packet *packet)
{
    bool is_payload = weft_packet_is_payload(packet->head.kind);
    weft_nic_trace(nic, WEFT_TRACE_TAKE, peer,
                   packet->head.kind | (uint64_t)packet->head.sequence << 8,
                   is_payload ? packet->place.offset : 0);
    if (!is_payload)
        return dispatch(nic, peer, packet);
    return packet->head.kind == WEFT_PACKET_DATA ? weft_nic_sched_range(nic, peer, packet)
                                                 : weft_nic_result_range(nic, peer, packet);
}

static inline void finish(struct weft_nic *nic, const struct weft_nic_peer *peer, bool is_ours)
{
    if (weft_rare(!is_ours))
        refuse(nic, peer, WEFT_PACKET_FAULT_COUNT);
    weft_nic_trigger_run(nic);
}

/* With it, those may pass that were held for it. */
static __attribute__((noinline)) void receive_numbered(struct weft_nic *nic,
                                                       struct weft_nic_peer *peer,
                                                       const struct weft_packet *packet)
{
    if (!weft_nic_link_accept(nic, peer, packet))
        return;
    finish(nic, peer, dispatch_numbered(nic, peer, packet));
    struct weft_nic_held *held;
    while ((held = weft_nic_link_next(peer))) {
        finish(nic, peer, dispatch_numbered(nic, peer, &held->packet));
        free(held);
    }
}

WEFT_INLINE enum weft_packet_fault decode(const struct weft_nic_peer *peer, const void *bytes,
                                          size_t size, struct weft_packet *packet)
{
    enum weft_packet_fault fault = weft_packet_decode_inline(bytes, size, packet);
    bool is_other =
        fault == WEFT_PACKET_FAULT_NONE && (packet->head.source_nid != peer->address.nid ||
                                            packet->head.source_pid != peer->address.pid);
    return is_other ? WEFT_PACKET_FAULT_FIELD : fault;
}

static inline void trace_receive(struct weft_nic *nic, const struct weft_nic_peer *peer,
                                 const struct weft_packet *packet)
{
    weft_nic_trace(nic, WEFT_TRACE_RECEIVE, peer,
                   packet->head.kind | (uint64_t)packet->head.sequence << 8, packet->head.length);
}

void weft_nic_receive(struct weft_nic *nic, struct weft_nic_peer *peer, const void *bytes,
                      size_t size)
{
    struct weft_packet packet;
    enum weft_packet_fault fault = decode(peer, bytes, size, &packet);
    if (weft_rare(fault != WEFT_PACKET_FAULT_NONE)) {
        refuse(nic, peer, fault);
        return;
    }
    trace_receive(nic, peer, &packet);
    if (weft_rare(nic->numbers))
        receive_numbered(nic, peer, &packet);
    else
        finish(nic, peer, dispatch(nic, peer, &packet));
}

unsigned char *weft_nic_landing(struct weft_nic *nic, struct weft_nic_peer *peer,
                                const void *headers, size_t size)
{
    struct weft_packet packet;
    uint8_t kind = ((const unsigned char *)headers)[offsetof(struct weft_packet_head, kind)];
    /* Others have longer headers than there are; and what may be held, or come twice, does not go
     * to its place before it is looked at. */
    if (!weft_packet_is_payload(kind) || nic->numbers ||
        decode(peer, headers, size, &packet) != WEFT_PACKET_FAULT_NONE)
        return NULL;
    return kind == WEFT_PACKET_DATA ? weft_nic_sched_landing(peer, &packet)
                                    : weft_nic_result_landing(nic, peer, &packet);
}

void weft_nic_receive_landed(struct weft_nic *nic, struct weft_nic_peer *peer, const void *headers,
                             size_t size, const unsigned char *payload)
{
    struct weft_packet packet;
    if (decode(peer, headers, size, &packet) != WEFT_PACKET_FAULT_NONE)
        return; /* cannot be: it had a landing */
    /* Where the payload is, is where it goes, and to move it there is to do nothing. */
    packet.payload = payload;
    trace_receive(nic, peer, &packet);
    finish(nic, peer, dispatch_other(nic, peer, &packet));
}

/* ---- Life --------------------------------------------------------------------------------- */

uint64_t weft_nic_deadline(const struct weft_nic *nic)
{
    uint64_t deadline = nic->deadline < nic->hpu.deadline ? nic->deadline : nic->hpu.deadline;
    return nic->timing && nic->timing->deadline < deadline ? nic->timing->deadline : deadline;
}

bool weft_nic_is_flushed(const struct weft_nic *nic)
{
    return weft_list_is_empty(&nic->busy) && nic->hpu.used == 0 && weft_nic_link_is_flushed(nic);
}

static bool open_stages(struct weft_nic *nic, const struct weft_nic_config *config)
{
    if (!weft_nic_hpu_open(nic, config))
        return false;
    if (weft_nic_stages_open(nic, config->stages))
        return true;
    weft_nic_hpu_close(nic);
    return false;
}

struct weft_nic *weft_nic_open(struct weft_nic_world *world, const struct weft_nic_config *config)
{
    struct weft_nic *nic = calloc(1, sizeof *nic);
    if (!nic)
        return NULL;
    nic->world = world;
    nic->core = config->core;
    if (!weft_index_init(&nic->peer_index) || !open_stages(nic, config)) {
        weft_index_fini(&nic->peer_index);
        free(nic);
        return NULL;
    }
    nic->numbers = !world->reliable || world->reorders;
    nic->traces = world->ops->trace != NULL;
    nic->is_watched = nic->traces || nic->timing || nic->hpu.scatters;
    nic->is_plain = weft_nic_hpu_is_inline(nic) && !nic->core && !nic->traces;
    nic->has_short_cut = world->is_skipped && nic->is_plain && !nic->numbers && !nic->timing;
    nic->deadline = UINT64_MAX;
    weft_pool_init(&nic->peers, sizeof(struct weft_nic_peer), WEFT_POOL_MOST, 0);
    weft_pool_init(&nic->operations, sizeof(struct weft_nic_operation), WEFT_POOL_MOST, 0);
    weft_pool_init(&nic->responses, sizeof(struct weft_nic_response), WEFT_POOL_MOST, 0);
    weft_list_init(&nic->busy);
    weft_list_init(&nic->windows);
    weft_list_init(&nic->fired);
    for (unsigned i = 0; i < WEFT_NIC_NIS; i++) {
        nic->nis[i].nic = nic;
        nic->nis[i].number = i;
    }
    return nic;
}

void weft_nic_close(struct weft_nic *nic)
{
    for (unsigned i = 0; i < WEFT_NIC_NIS; i++)
        if (nic->nis[i].open)
            weft_nic_ni_close(&nic->nis[i]);
    for (uint32_t i = 0; i < nic->peers.made; i++) {
        struct weft_nic_peer *peer = (struct weft_nic_peer *)weft_pool_at(&nic->peers, i);
        if (peer->slot.next == 0)
            weft_nic_link_close(nic, peer);
    }
    weft_nic_hpu_close(nic);
    weft_nic_stages_close(nic);
    weft_pool_fini(&nic->peers);
    weft_pool_fini(&nic->operations);
    weft_pool_fini(&nic->responses);
    weft_index_fini(&nic->peer_index);
    free(nic);
}
