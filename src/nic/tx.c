/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/tx.h"

#include <string.h>

#include "base/log.h"
#include "nic/dma.h"
#include "nic/event.h"
#include "nic/link.h"
#include "nic/peer.h"
#include "nic/sched.h"

/* ---- Packets of operations ---------------------------------------------------------------- */

static bool has_reply(enum weft_packet_kind kind)
{
    return kind == WEFT_PACKET_GET || kind == WEFT_PACKET_FETCH_ATOMIC || kind == WEFT_PACKET_SWAP;
}

static bool has_data(enum weft_packet_kind kind)
{
    return kind != WEFT_PACKET_GET;
}

/* A full acknowledgement needs a queue, a counting one a counter: else nobody would notice. */
static ptl_ack_req_t useful_ack(const struct weft_command *command)
{
    const struct weft_md *md = command->md;
    bool counts = md->ct && md->options & PTL_MD_EVENT_CT_ACK;
    if (command->ack == PTL_ACK_REQ && !md->eq)
        return counts ? PTL_CT_ACK_REQ : PTL_NO_ACK_REQ;
    if (command->ack > PTL_ACK_REQ && !counts)
        return PTL_NO_ACK_REQ;
    return command->ack;
}

static void describe(const struct weft_ni *ni, const struct weft_command *command, uint32_t id,
                     struct weft_packet *packet)
{
    packet->head.kind = (uint8_t)command->kind;
    packet->head.flags = (uint8_t)ni->number;
    packet->head.operation = id;
    packet->request = (struct weft_packet_request){
        .pt_index = command->pt_index,
        .uid = ni->nic->world->uid,
        .rank = ni->rank,
        .ack = has_reply(command->kind) ? PTL_NO_ACK_REQ : (uint8_t)useful_ack(command),
        .atomic_operation = command->atomic_operation,
        .atomic_type = command->atomic_type,
        .operand = command->operand_size,
        .match_bits = command->match_bits,
        .hdr_data = command->hdr_data,
        .remote_offset = command->remote_offset,
        .length = command->length,
    };
}

static uint32_t payload_room(const struct weft_nic *nic, enum weft_packet_kind kind)
{
    return nic->world->packet_size - (uint32_t)weft_packet_headers(kind);
}

/* The first packet. The program's memory is read straight into the place of the packet; of an
 * operation that had to wait, `copy` may hold the data instead. Says how much data went along, or
 * -1 if there is no room. */
static int64_t send_first(struct weft_ni *ni, struct weft_peer *peer,
                          const struct weft_command *command, uint32_t id,
                          const unsigned char *copy)
{
    struct weft_packet packet = {0};
    uint64_t size = 0;
    if (has_data(command->kind)) {
        size = payload_room(ni->nic, command->kind) - command->operand_size;
        if (size > command->length)
            size = command->length;
    }
    describe(ni, command, id, &packet);
    packet.head.length = command->operand_size + (uint32_t)size;
    size_t whole = weft_packet_headers(command->kind) + packet.head.length;
    void *place = weft_link_reserve(ni->nic, peer, whole);
    if (!place)
        return -1;
    unsigned char *payload = weft_link_encode(ni->nic, peer, place, &packet);
    memcpy(payload, command->operand, command->operand_size);
    payload += command->operand_size;
    if (copy)
        memcpy(payload, copy, size);
    else if (size)
        weft_dma_read(&command->md->region, command->local_offset, payload, size);
    weft_link_commit(ni->nic, peer, whole);
    return (int64_t)size;
}

static bool send_more(struct weft_operation *operation)
{
    struct weft_nic *nic = operation->ni->nic;
    const struct weft_command *command = &operation->command;
    uint64_t size = payload_room(nic, WEFT_PACKET_DATA);
    if (size > command->length - operation->sent)
        size = command->length - operation->sent;
    struct weft_packet packet = {.head = {.kind = WEFT_PACKET_DATA,
                                          .flags = (uint8_t)operation->ni->number,
                                          .length = (uint32_t)size},
                                 .place = {operation->sent}};
    size_t whole = weft_packet_headers(WEFT_PACKET_DATA) + size;
    void *place = weft_link_reserve(nic, operation->peer, whole);
    if (!place)
        return false;
    unsigned char *payload = weft_link_encode(nic, operation->peer, place, &packet);
    weft_dma_read(&command->md->region, command->local_offset + operation->sent, payload, size);
    weft_link_commit(nic, operation->peer, whole);
    operation->sent += size;
    return true;
}

/* ---- Life of an operation ----------------------------------------------------------------- */

static void hold(const struct weft_command *command, int change)
{
    if (command->md)
        command->md->pending += (uint32_t)change;
    if (command->get_md)
        command->get_md->pending += (uint32_t)change;
}

static void report_sent(const struct weft_command *command, ptl_ni_fail_t fail)
{
    if (has_data(command->kind))
        weft_event_initiator(command, command->md,
                             &(struct weft_initiator_event){
                                 .type = PTL_EVENT_SEND, .fail = fail, .length = command->length});
}

static void report_lost_result(const struct weft_command *command, ptl_ni_fail_t fail)
{
    struct weft_initiator_event what = {.type = PTL_EVENT_REPLY, .fail = fail};
    if (has_reply(command->kind)) {
        weft_event_initiator(command, command->get_md, &what);
    } else if (useful_ack(command) != PTL_NO_ACK_REQ) {
        what.type = PTL_EVENT_ACK;
        what.count_only = useful_ack(command) != PTL_ACK_REQ;
        weft_event_initiator(command, command->md, &what);
    }
}

void weft_tx_fail(const struct weft_command *command, ptl_ni_fail_t fail)
{
    report_sent(command, fail);
    report_lost_result(command, fail);
}

void weft_tx_end(struct weft_operation *operation)
{
    hold(&operation->command, -1);
    weft_list_remove(&operation->link);
    weft_pool_give(&operation->ni->nic->operations, operation);
}

static void all_sent(struct weft_operation *operation)
{
    operation->is_all_sent = true;
    report_sent(&operation->command, PTL_NI_OK);
    weft_list_remove(&operation->link);
    if (operation->wants_result)
        weft_list_append(&operation->peer->awaiting, &operation->link);
    else
        weft_tx_end(operation);
}

static bool has_left(const struct weft_operation *operation)
{
    return !has_data(operation->command.kind) || operation->sent == operation->command.length;
}

/* Sends what fits; says whether that was all of it. */
static bool advance(struct weft_operation *operation, bool is_first)
{
    if (is_first) {
        int64_t sent = send_first(operation->ni, operation->peer, &operation->command,
                                  operation->wants_result ? operation->slot.id : 0,
                                  operation->is_copied ? operation->copy : NULL);
        if (sent < 0)
            return false;
        operation->sent = (uint64_t)sent;
        operation->is_begun = true;
    }
    while (!has_left(operation))
        if (!send_more(operation))
            return false;
    all_sent(operation);
    return true;
}

/* Data of a volatile descriptor may change as soon as the call returns. */
static void save_volatile(struct weft_operation *operation)
{
    const struct weft_command *command = &operation->command;
    if (!command->md || !(command->md->options & PTL_MD_VOLATILE) ||
        command->length > WEFT_VOLATILE_MAX || !has_data(command->kind))
        return;
    operation->is_copied = weft_dma_read(&command->md->region, command->local_offset,
                                         operation->copy, command->length);
}

static struct weft_operation *new_operation(struct weft_ni *ni, struct weft_peer *peer,
                                            const struct weft_command *command)
{
    struct weft_operation *operation = weft_pool_take(&ni->nic->operations);
    if (!operation)
        return NULL;
    operation->command = *command;
    operation->ni = ni;
    operation->peer = peer;
    operation->wants_result = has_reply(command->kind) || useful_ack(command) != PTL_NO_ACK_REQ;
    hold(command, 1);
    weft_list_append(&peer->requests, &operation->link);
    return operation;
}

/* A small message that nobody answers needs no record if it can go at once. */
static bool send_at_once(struct weft_ni *ni, struct weft_peer *peer,
                         const struct weft_command *command)
{
    if (has_reply(command->kind) || command->length > payload_room(ni->nic, command->kind) ||
        useful_ack(command) != PTL_NO_ACK_REQ)
        return false;
    if (send_first(ni, peer, command, 0, NULL) < 0)
        return false;
    report_sent(command, PTL_NI_OK);
    return true;
}

int weft_tx_start(struct weft_ni *ni, const struct weft_command *command)
{
    struct weft_peer *peer = weft_peer_of(ni, command->target);
    if (!peer)
        return PTL_NO_SPACE;
    if (!weft_peer_is_usable(ni->nic, peer)) {
        weft_tx_fail(command, PTL_NI_UNDELIVERABLE);
        return PTL_OK;
    }
    bool is_idle = weft_list_is_empty(&peer->requests) && weft_list_is_empty(&peer->responses);
    if (is_idle && send_at_once(ni, peer, command))
        return PTL_OK;
    struct weft_operation *operation = new_operation(ni, peer, command);
    if (!operation)
        return PTL_NO_SPACE;
    if (is_idle && advance(operation, true))
        return PTL_OK;
    if (!operation->is_begun)
        save_volatile(operation);
    weft_peer_is_busy(ni->nic, peer);
    return PTL_OK;
}

/* ---- Answers ------------------------------------------------------------------------------ */

static bool wants_ack(const struct weft_delivery *delivery)
{
    return delivery->operation && delivery->request.ack != PTL_NO_ACK_REQ;
}

static void describe_result(const struct weft_delivery *delivery, enum weft_packet_kind kind,
                            uint8_t flags, struct weft_packet *packet)
{
    packet->head.kind = (uint8_t)kind;
    packet->head.flags = flags;
    packet->head.fail = delivery->fail;
    packet->head.operation = delivery->operation;
    packet->result = (struct weft_packet_result){delivery->length, delivery->offset};
}

/* The first packet of an answer; the data, if any, comes from `data` or from the entry. Says how
 * much data went along, or -1 if there is no room. */
static int64_t send_result(struct weft_nic *nic, struct weft_peer *peer,
                           const struct weft_delivery *delivery, enum weft_packet_kind kind,
                           uint8_t flags, const unsigned char *data)
{
    struct weft_packet packet = {0};
    uint64_t size = kind == WEFT_PACKET_REPLY ? delivery->length : 0;
    if (size > payload_room(nic, kind))
        size = payload_room(nic, kind);
    describe_result(delivery, kind, flags, &packet);
    packet.head.length = (uint32_t)size;
    size_t whole = weft_packet_headers(kind) + size;
    void *place = weft_link_reserve(nic, peer, whole);
    if (!place)
        return -1;
    unsigned char *payload = weft_link_encode(nic, peer, place, &packet);
    if (data)
        memcpy(payload, data, size);
    else if (size)
        weft_dma_read(&delivery->entry->region, delivery->offset, payload, size);
    weft_link_commit(nic, peer, whole);
    return (int64_t)size;
}

static bool send_more_result(struct weft_nic *nic, struct weft_response *response)
{
    const struct weft_delivery *delivery = &response->delivery;
    uint64_t size = payload_room(nic, WEFT_PACKET_REPLY_DATA);
    if (size > delivery->length - response->sent)
        size = delivery->length - response->sent;
    struct weft_packet packet = {.head = {.kind = WEFT_PACKET_REPLY_DATA,
                                          .flags = response->flags,
                                          .operation = delivery->operation,
                                          .length = (uint32_t)size},
                                 .place = {response->sent}};
    size_t whole = weft_packet_headers(WEFT_PACKET_REPLY_DATA) + size;
    void *place = weft_link_reserve(nic, response->peer, whole);
    if (!place)
        return false;
    unsigned char *payload = weft_link_encode(nic, response->peer, place, &packet);
    weft_dma_read(&delivery->entry->region, delivery->offset + response->sent, payload, size);
    weft_link_commit(nic, response->peer, whole);
    response->sent += size;
    return true;
}

static void destroy_response(struct weft_nic *nic, struct weft_response *response)
{
    weft_list_remove(&response->link);
    weft_pool_give(&nic->responses, response);
}

static bool advance_response(struct weft_nic *nic, struct weft_response *response)
{
    struct weft_delivery *delivery = &response->delivery;
    if (!response->is_begun) {
        int64_t sent = send_result(nic, response->peer, delivery, response->kind, response->flags,
                                   response->is_copied ? response->copy : NULL);
        if (sent < 0)
            return false;
        response->sent = (uint64_t)sent;
        response->is_begun = true;
    }
    while (response->kind == WEFT_PACKET_REPLY && response->sent < delivery->length)
        if (!send_more_result(nic, response))
            return false;
    weft_sched_finish(delivery);
    destroy_response(nic, response);
    return true;
}

static struct weft_response *new_response(struct weft_nic *nic, struct weft_peer *peer,
                                          const struct weft_delivery *delivery,
                                          enum weft_packet_kind kind, uint8_t flags)
{
    struct weft_response *response = weft_pool_take(&nic->responses);
    if (!response) {
        weft_log(WEFT_LOG_ERROR, "no memory for an answer to process %u/%u: it is lost",
                 peer->address.nid, peer->address.pid);
        return NULL;
    }
    response->peer = peer;
    response->delivery = *delivery;
    response->kind = kind;
    response->flags = flags;
    weft_list_append(&peer->responses, &response->link);
    weft_peer_is_busy(nic, peer);
    return response;
}

/* An entry may forbid acknowledgements; then the initiator only forgets the operation. */
static uint8_t ack_flags(const struct weft_delivery *delivery)
{
    unsigned quiet = delivery->no_ack ? WEFT_PACKET_QUIET : 0;
    return (uint8_t)(delivery->ni->number | quiet);
}

void weft_tx_acknowledge(struct weft_nic *nic, struct weft_peer *peer,
                         const struct weft_delivery *delivery)
{
    if (!wants_ack(delivery) || !weft_peer_is_usable(nic, peer))
        return;
    uint8_t flags = ack_flags(delivery);
    if (weft_list_is_empty(&peer->responses) &&
        send_result(nic, peer, delivery, WEFT_PACKET_ACK, flags, NULL) >= 0)
        return;
    struct weft_response *response = new_response(nic, peer, delivery, WEFT_PACKET_ACK, flags);
    if (response)
        response->delivery.entry = NULL;
}

void weft_tx_reply(struct weft_nic *nic, struct weft_peer *peer, struct weft_delivery *delivery,
                   const unsigned char *data)
{
    if (!delivery->entry && !data)
        delivery->length = 0;
    if (!weft_peer_is_usable(nic, peer)) {
        delivery->fail = PTL_NI_UNDELIVERABLE;
        weft_sched_finish(delivery);
        return;
    }
    uint8_t flags = (uint8_t)delivery->ni->number;
    if (weft_list_is_empty(&peer->responses) &&
        delivery->length <= payload_room(nic, WEFT_PACKET_REPLY) &&
        send_result(nic, peer, delivery, WEFT_PACKET_REPLY, flags, data) >= 0) {
        weft_sched_finish(delivery);
        return;
    }
    struct weft_response *response = new_response(nic, peer, delivery, WEFT_PACKET_REPLY, flags);
    if (!response) {
        delivery->fail = PTL_NI_DROPPED;
        weft_sched_finish(delivery);
        return;
    }
    if (data) {
        memcpy(response->copy, data, delivery->length);
        response->is_copied = true;
    }
    if (peer->responses.next == &response->link)
        advance_response(nic, response);
}

/* ---- Going on ----------------------------------------------------------------------------- */

static bool step_peer(struct weft_nic *nic, struct weft_peer *peer)
{
    bool any = false;
    while (!weft_list_is_empty(&peer->responses)) {
        struct weft_response *response =
            weft_list_object(peer->responses.next, struct weft_response, link);
        uint64_t sent = response->sent;
        if (!advance_response(nic, response))
            return any || response->sent != sent;
        any = true;
    }
    while (!weft_list_is_empty(&peer->requests)) {
        struct weft_operation *operation =
            weft_list_object(peer->requests.next, struct weft_operation, link);
        uint64_t sent = operation->sent;
        if (!advance(operation, !operation->is_begun))
            return any || operation->sent != sent;
        any = true;
    }
    weft_list_remove(&peer->busy);
    return any;
}

bool weft_tx_step(struct weft_nic *nic)
{
    bool any = false;
    struct weft_list *link = nic->busy.next;
    while (link != &nic->busy) {
        struct weft_peer *peer = weft_list_object(link, struct weft_peer, busy);
        link = link->next;
        any |= step_peer(nic, peer);
    }
    return any;
}

/* ---- Ends --------------------------------------------------------------------------------- */

void weft_tx_abandon(struct weft_nic *nic, struct weft_peer *peer)
{
    weft_list_remove(&peer->busy);
    while (!weft_list_is_empty(&peer->responses)) {
        struct weft_response *response =
            weft_list_object(peer->responses.next, struct weft_response, link);
        response->delivery.fail = PTL_NI_UNDELIVERABLE;
        weft_sched_finish(&response->delivery);
        destroy_response(nic, response);
    }
    /* In the order of the calls: what was sent is older than what waits. */
    while (!weft_list_is_empty(&peer->awaiting)) {
        struct weft_operation *operation =
            weft_list_object(peer->awaiting.next, struct weft_operation, link);
        report_lost_result(&operation->command, PTL_NI_UNDELIVERABLE);
        weft_tx_end(operation);
    }
    while (!weft_list_is_empty(&peer->requests)) {
        struct weft_operation *operation =
            weft_list_object(peer->requests.next, struct weft_operation, link);
        weft_tx_fail(&operation->command, PTL_NI_UNDELIVERABLE);
        weft_tx_end(operation);
    }
}

static void forget_operations(struct weft_list *list, const struct weft_ni *ni)
{
    struct weft_list *link = list->next;
    while (link != list) {
        struct weft_operation *operation = weft_list_object(link, struct weft_operation, link);
        link = link->next;
        if (operation->ni == ni)
            weft_tx_end(operation);
    }
}

static void forget_responses(struct weft_nic *nic, struct weft_peer *peer,
                             const struct weft_ni *ni)
{
    struct weft_list *link = peer->responses.next;
    while (link != &peer->responses) {
        struct weft_response *response = weft_list_object(link, struct weft_response, link);
        link = link->next;
        if (response->delivery.ni == ni)
            destroy_response(nic, response);
    }
}

void weft_tx_forget(struct weft_nic *nic, const struct weft_ni *ni)
{
    for (uint32_t i = 0; i < nic->peers.made; i++) {
        struct weft_peer *peer = (struct weft_peer *)weft_pool_at(&nic->peers, i);
        if (peer->slot.next != 0)
            continue;
        forget_operations(&peer->requests, ni);
        forget_operations(&peer->awaiting, ni);
        forget_responses(nic, peer, ni);
    }
}
