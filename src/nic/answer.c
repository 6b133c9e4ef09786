/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/answer.h"

#include <string.h>

#include "base/log.h"
#include "base/rare.h"
#include "nic/dma.h"
#include "nic/gather.h"
#include "nic/link.h"
#include "nic/peer.h"
#include "nic/sched.h"
#include "nic/stages.h"

static void describe_result(const struct weft_nic_delivery *delivery, enum weft_packet_kind kind,
                            uint8_t flags, struct weft_packet *packet)
{
    packet->head.kind = (uint8_t)kind;
    packet->head.flags = flags;
    packet->head.fail = delivery->fail;
    packet->head.operation = delivery->operation;
    packet->result = (struct weft_packet_result){delivery->length, delivery->offset};
}

/* Data of the entry: where it is, if the world may take it from there; else NULL, and it is in the
 * packet. */
static const unsigned char *read_entry(const struct weft_nic_delivery *delivery, uint64_t sent,
                                       unsigned char *payload, size_t size)
{
    const struct weft_nic_region *region = &delivery->entry->region;
    const unsigned char *block = weft_nic_dma_block(region, delivery->offset + sent, size);
    if (!block)
        weft_nic_dma_read(region, delivery->offset + sent, payload, size);
    return block;
}

/* The first packet of an answer; the data, if any, comes from `data` or from the entry. Says how
 * much data went along, or -1 if there is no room. */
static int64_t send_result(struct weft_nic *nic, struct weft_nic_peer *peer,
                           const struct weft_nic_delivery *delivery, enum weft_packet_kind kind,
                           uint8_t flags, const unsigned char *data)
{
    struct weft_packet packet = {0};
    uint64_t left = kind == WEFT_PACKET_REPLY ? delivery->length : 0;
    uint64_t size = weft_nic_link_share(peer, kind, left);
    describe_result(delivery, kind, flags, &packet);
    packet.head.length = (uint32_t)size;
    size_t whole = weft_packet_headers(kind) + size;
    unsigned char *payload = weft_nic_link_begin(nic, peer, &packet, whole);
    if (!payload)
        return -1;
    bool is_read = size && !data;
    if (is_read)
        data = read_entry(delivery, 0, payload, size);
    if (weft_rare(nic->timing != NULL))
        weft_nic_stages_send(nic, is_read, size);
    weft_nic_link_end(nic, peer, whole, payload, data, size);
    return (int64_t)size;
}

static bool send_more(struct weft_nic *nic, struct weft_nic_response *response,
                      const unsigned char *data)
{
    const struct weft_nic_delivery *delivery = &response->delivery;
    uint64_t size = weft_nic_link_share(response->peer, WEFT_PACKET_REPLY_DATA,
                                        delivery->length - response->sent);
    size_t whole = weft_packet_headers(WEFT_PACKET_REPLY_DATA) + size;
    struct weft_packet packet = {.head = {.kind = WEFT_PACKET_REPLY_DATA,
                                          .flags = response->flags,
                                          .operation = delivery->operation,
                                          .length = (uint32_t)size},
                                 .place = {response->sent}};
    unsigned char *payload = weft_nic_link_begin(nic, response->peer, &packet, whole);
    if (!payload)
        return false;
    if (!data)
        data = read_entry(delivery, response->sent, payload, size);
    if (weft_rare(nic->timing != NULL))
        weft_nic_stages_send(nic, true, size);
    weft_nic_link_end(nic, response->peer, whole, payload, data, size);
    response->sent += size;
    return true;
}

static void destroy(struct weft_nic *nic, struct weft_nic_response *response)
{
    weft_nic_gather_close(response->gather);
    weft_list_remove(&response->link);
    weft_pool_give(&nic->responses, response);
}

/* The next packet, of which `data` is the payload, unless that is to be read. */
static bool send_next(struct weft_nic *nic, struct weft_nic_response *response,
                      const unsigned char *data)
{
    if (response->is_begun)
        return send_more(nic, response, data);
    int64_t sent = send_result(nic, response->peer, &response->delivery, response->kind,
                               response->flags, data);
    if (sent < 0)
        return false;
    response->sent = (uint64_t)sent;
    response->is_begun = true;
    return true;
}

/* The same, if an HPU has written it. */
static bool send_gathered(struct weft_nic *nic, struct weft_nic_response *response)
{
    struct weft_nic_gather *gather = response->gather;
    if (!weft_nic_gather_is_ready(gather) ||
        !send_next(nic, response, weft_nic_gather_data(gather)))
        return false;
    weft_nic_gather_next(gather);
    return true;
}

static bool has_more(const struct weft_nic_response *response)
{
    return !response->is_begun ||
           (response->kind == WEFT_PACKET_REPLY && response->sent < response->delivery.length);
}

static bool advance(struct weft_nic *nic, struct weft_nic_response *response)
{
    struct weft_nic_delivery *delivery = &response->delivery;
    while (has_more(response))
        if (response->gather
                ? !send_gathered(nic, response)
                : !send_next(nic, response, response->is_copied ? response->copy : NULL))
            return false;
    weft_nic_sched_finish(delivery);
    destroy(nic, response);
    return true;
}

/* ---- Losing ------------------------------------------------------------------------------- */

/* Answers to messages with handlers come in any order, so one that is lost may be older than one
 * before it: then no operation stands for both. */
static void lose(struct weft_nic *nic, struct weft_nic_peer *peer,
                 const struct weft_nic_delivery *delivery)
{
    if (!delivery->operation || peer->failed)
        return;
    if (!peer->has_lost)
        weft_log(WEFT_LOG_ERROR,
                 "no memory for answers to process %u/%u: its operations fail there",
                 peer->address.nid, peer->address.pid);
    peer->lost = peer->has_lost && delivery->execution ? 0 : delivery->operation;
    peer->has_lost = true;
    weft_nic_peer_is_busy(nic, peer);
}

/* True when nothing is left to tell. */
static bool tell_loss(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    const size_t whole = weft_packet_headers(WEFT_PACKET_LOST);
    struct weft_packet packet = {.head = {.kind = WEFT_PACKET_LOST, .operation = peer->lost}};
    if (!peer->route && !weft_nic_peer_is_usable(nic, peer))
        return false;
    if (!weft_nic_link_begin(nic, peer, &packet, whole))
        return false;
    weft_nic_link_commit(nic, peer, whole);
    peer->has_lost = false;
    return true;
}

/* ---- Answering ---------------------------------------------------------------------------- */

static struct weft_nic_response *new_response(struct weft_nic *nic, struct weft_nic_peer *peer,
                                              const struct weft_nic_delivery *delivery,
                                              enum weft_packet_kind kind, uint8_t flags)
{
    struct weft_nic_response *response = weft_pool_take(&nic->responses);
    if (!response) {
        lose(nic, peer, delivery);
        return NULL;
    }
    response->peer = peer;
    response->delivery = *delivery;
    response->kind = kind;
    response->flags = flags;
    weft_list_append(&peer->responses, &response->link);
    weft_nic_peer_is_busy(nic, peer);
    return response;
}

/* An entry may forbid acknowledgements; then the initiator only forgets the operation. */
static uint8_t ack_flags(const struct weft_nic_delivery *delivery)
{
    unsigned quiet = delivery->no_ack ? WEFT_PACKET_QUIET : 0;
    unsigned list = delivery->list == PTL_OVERFLOW_LIST ? WEFT_PACKET_OVERFLOW : 0;
    return (uint8_t)(delivery->ni->number | quiet | list);
}

void weft_nic_answer_send_ack(struct weft_nic *nic, struct weft_nic_peer *peer,
                              const struct weft_nic_delivery *delivery)
{
    if (!weft_nic_peer_is_usable(nic, peer)) {
        lose(nic, peer, delivery);
        return;
    }
    uint8_t flags = ack_flags(delivery);
    if (weft_list_is_empty(&peer->responses) &&
        send_result(nic, peer, delivery, WEFT_PACKET_ACK, flags, NULL) >= 0)
        return;
    struct weft_nic_response *response = new_response(nic, peer, delivery, WEFT_PACKET_ACK, flags);
    if (response)
        response->delivery.entry = NULL;
}

void weft_nic_answer_reply(struct weft_nic *nic, struct weft_nic_peer *peer,
                           struct weft_nic_delivery *delivery, const unsigned char *data)
{
    if (!delivery->entry && !data)
        delivery->length = 0;
    if (!weft_nic_peer_is_usable(nic, peer)) {
        lose(nic, peer, delivery);
        delivery->fail = PTL_NI_UNDELIVERABLE;
        weft_nic_sched_finish(delivery);
        return;
    }
    uint8_t flags = (uint8_t)delivery->ni->number;
    if (weft_list_is_empty(&peer->responses) &&
        delivery->length <= weft_nic_link_room(peer, WEFT_PACKET_REPLY) &&
        send_result(nic, peer, delivery, WEFT_PACKET_REPLY, flags, data) >= 0) {
        weft_nic_sched_finish(delivery);
        return;
    }
    struct weft_nic_response *response =
        new_response(nic, peer, delivery, WEFT_PACKET_REPLY, flags);
    if (!response) {
        delivery->fail = PTL_NI_DROPPED;
        weft_nic_sched_finish(delivery);
        return;
    }
    if (data) {
        memcpy(response->copy, data, delivery->length);
        response->is_copied = true;
    }
    if (weft_rare(nic->is_watched) && !data)
        weft_nic_gather_response(response);
    if (peer->responses.next == &response->link)
        advance(nic, response);
}

/* ---- Going on, and the end ---------------------------------------------------------------- */

static struct weft_nic_response *first_of(const struct weft_nic_peer *peer)
{
    return weft_list_object(peer->responses.next, struct weft_nic_response, link);
}

bool weft_nic_answer_step(struct weft_nic *nic, struct weft_nic_peer *peer, bool *any)
{
    while (!weft_list_is_empty(&peer->responses)) {
        struct weft_nic_response *response = first_of(peer);
        uint64_t sent = response->sent;
        if (!advance(nic, response)) {
            *any |= response->sent != sent;
            return false;
        }
        *any = true;
    }
    if (!peer->has_lost)
        return true;
    bool is_told = tell_loss(nic, peer);
    *any |= is_told;
    return is_told;
}

/* The one at a link, which may then be destroyed. */
static struct weft_nic_response *go_past(struct weft_list **link)
{
    struct weft_nic_response *response = weft_list_object(*link, struct weft_nic_response, link);
    *link = (*link)->next;
    return response;
}

void weft_nic_answer_stopped(struct weft_nic *nic, struct weft_nic_response *response)
{
    response->delivery.fail = PTL_NI_UNDELIVERABLE;
    weft_nic_sched_finish(&response->delivery);
    destroy(nic, response);
}

void weft_nic_answer_abandon(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    peer->has_lost = false;
    for (struct weft_list *link = peer->responses.next; link != &peer->responses;) {
        struct weft_nic_response *response = go_past(&link);
        if (weft_nic_gather_stop(response->gather))
            weft_nic_answer_stopped(nic, response);
    }
}

void weft_nic_answer_forget(struct weft_nic *nic, struct weft_nic_peer *peer,
                            const struct weft_nic_ni *ni)
{
    for (struct weft_list *link = peer->responses.next; link != &peer->responses;) {
        struct weft_nic_response *response = go_past(&link);
        if (response->delivery.ni == ni)
            destroy(nic, response);
    }
}
