/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/tx.h"

#include <stdlib.h>
#include <string.h>

#include "base/rare.h"
#include "nic/activation.h"
#include "nic/answer.h"
#include "nic/dma.h"
#include "nic/entry.h"
#include "nic/event.h"
#include "nic/gather.h"
#include "nic/link.h"
#include "nic/outbound.h"
#include "nic/peer.h"
#include "nic/sched.h"
#include "nic/stages.h"

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
static ptl_ack_req_t useful_ack(const struct weft_nic_command *command)
{
    const struct weft_nic_md *md = command->md;
    bool counts = md->ct && weft_nic_command_options(command, md) & PTL_MD_EVENT_CT_ACK;
    if (command->ack == PTL_ACK_REQ && !md->eq)
        return counts ? PTL_CT_ACK_REQ : PTL_NO_ACK_REQ;
    if (command->ack > PTL_ACK_REQ && !counts)
        return PTL_NO_ACK_REQ;
    return command->ack;
}

static void describe(const struct weft_nic_ni *ni, const struct weft_nic_command *command,
                     uint32_t id, struct weft_packet *packet)
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

/* What an HPU has written, or should have. */
static ptl_ni_fail_t write_packet(const struct weft_nic_operation *operation,
                                  const struct weft_nic_command *command, uint64_t offset,
                                  unsigned char *to, size_t size)
{
    struct weft_nic_gather *gather = operation->gather;
    const unsigned char *written = gather ? weft_nic_gather_data(gather) : NULL;
    ptl_ni_fail_t fail = PTL_NI_OK;
    if (written)
        memcpy(to, written, size);
    else if (command->outbound.handler)
        fail = weft_nic_outbound_fill(operation->ni->nic, command, offset, to, size);
    else
        weft_nic_dma_read(&command->md->region, command->local_offset + offset, to, size);
    ptl_ni_fail_t earlier = gather ? weft_nic_gather_next(gather) : PTL_NI_OK;
    return earlier != PTL_NI_OK ? earlier : fail;
}

/* Into a packet at its place. What goes wrong in a handler is told when all has left. */
static __attribute__((noinline)) void read_other(struct weft_nic_operation *operation,
                                                 const struct weft_nic_command *command,
                                                 uint64_t offset, unsigned char *to, size_t size)
{
    if (command->source == WEFT_NIC_SOURCE_DEVICE) {
        memcpy(to, command->device + offset, size);
    } else if (command->source == WEFT_NIC_SOURCE_STREAM) {
        weft_nic_stream_read(operation->stream, &command->md->region, to, size);
    } else {
        ptl_ni_fail_t fail = write_packet(operation, command, offset, to, size);
        if (operation->send_fail == PTL_NI_OK)
            operation->send_fail = fail;
    }
}

static inline void read_data(struct weft_nic_operation *operation,
                             const struct weft_nic_command *command, uint64_t offset,
                             unsigned char *to, size_t size)
{
    if (weft_rare(command->source != WEFT_NIC_SOURCE_MD))
        read_other(operation, command, offset, to, size);
    else
        weft_nic_dma_read(&command->md->region, command->local_offset + offset, to, size);
}

/* The data where it is, if the world may take it from there; NULL: read_data. */
static const unsigned char *block_of(const struct weft_nic_command *command, uint64_t offset,
                                     size_t size)
{
    return command->source == WEFT_NIC_SOURCE_MD
               ? weft_nic_dma_block(&command->md->region, command->local_offset + offset, size)
               : NULL;
}

/* The first packet. The program's memory is read straight into the place of the packet; of an
 * operation that had to wait, `copy` may hold the data instead. `operation` is NULL if there is no
 * record of it. Says how much data went along, or -1 if there is no room. */
static int64_t send_first(struct weft_nic_ni *ni, struct weft_nic_peer *peer,
                          const struct weft_nic_command *command,
                          struct weft_nic_operation *operation, const unsigned char *copy)
{
    uint32_t id = operation && operation->wants_result ? operation->slot.id : 0;
    struct weft_packet packet = {0};
    uint64_t size = 0;
    if (has_data(command->kind)) {
        size = weft_nic_link_room(peer, command->kind) - command->operand_size;
        if (size > command->length)
            size = command->length;
    }
    describe(ni, command, id, &packet);
    packet.head.length = command->operand_size + (uint32_t)size;
    size_t whole = weft_packet_headers(command->kind) + packet.head.length;
    unsigned char *payload = weft_nic_link_begin(ni->nic, peer, &packet, whole);
    if (!payload)
        return -1;
    memcpy(payload, command->operand, command->operand_size);
    payload += command->operand_size;
    const unsigned char *block = NULL;
    if (copy)
        memcpy(payload, copy, size);
    else if (size && !(block = block_of(command, 0, size)))
        read_data(operation, command, 0, payload, size);
    if (weft_rare(ni->nic->timing != NULL))
        weft_nic_stages_send(ni->nic, size && command->source != WEFT_NIC_SOURCE_DEVICE, size);
    weft_nic_link_end(ni->nic, peer, whole, payload, block, size);
    return (int64_t)size;
}

static bool send_more(struct weft_nic_operation *operation)
{
    struct weft_nic *nic = operation->ni->nic;
    const struct weft_nic_command *command = &operation->command;
    uint64_t size =
        weft_nic_link_share(operation->peer, WEFT_PACKET_DATA, command->length - operation->sent);
    size_t whole = weft_packet_headers(WEFT_PACKET_DATA) + size;
    struct weft_packet packet = {.head = {.kind = WEFT_PACKET_DATA,
                                          .flags = (uint8_t)operation->ni->number,
                                          .length = (uint32_t)size},
                                 .place = {operation->sent}};
    unsigned char *payload = weft_nic_link_begin(nic, operation->peer, &packet, whole);
    if (!payload)
        return false;
    const unsigned char *block = block_of(command, operation->sent, size);
    if (!block)
        read_data(operation, command, operation->sent, payload, size);
    if (weft_rare(nic->timing != NULL))
        weft_nic_stages_send(nic, command->source != WEFT_NIC_SOURCE_DEVICE, size);
    weft_nic_link_end(nic, operation->peer, whole, payload, block, size);
    operation->sent += size;
    return true;
}

/* ---- Life of an operation ----------------------------------------------------------------- */

/* What a handler started holds the entry of the handler. */
static void hold_md(struct weft_nic_md *md, int change)
{
    if (!md)
        return;
    md->pending += (uint32_t)change;
    if (!md->entry)
        return;
    md->entry->pending += (uint32_t)change;
    if (change < 0 && !md->entry->linked)
        weft_nic_entry_settle(md->entry);
}

static void hold(const struct weft_nic_command *command, int change)
{
    if (command->outbound.memory)
        command->outbound.memory->users += (uint32_t)change;
    hold_md(command->md, change);
    hold_md(command->get_md, change);
}

static void report_sent(const struct weft_nic_command *command, ptl_ni_fail_t fail)
{
    if (has_data(command->kind))
        weft_nic_event_initiator(command, command->md,
                                 &(struct weft_nic_initiator_event){.type = PTL_EVENT_SEND,
                                                                    .fail = fail,
                                                                    .length = command->length});
}

static void report_lost_result(const struct weft_nic_command *command, ptl_ni_fail_t fail)
{
    struct weft_nic_initiator_event what = {.type = PTL_EVENT_REPLY, .fail = fail};
    if (has_reply(command->kind)) {
        weft_nic_event_initiator(command, command->get_md, &what);
    } else if (useful_ack(command) != PTL_NO_ACK_REQ) {
        what.type = PTL_EVENT_ACK;
        what.count_only = useful_ack(command) != PTL_ACK_REQ;
        weft_nic_event_initiator(command, command->md, &what);
    }
}

void weft_nic_tx_fail(const struct weft_nic_command *command, ptl_ni_fail_t fail)
{
    report_sent(command, fail);
    report_lost_result(command, fail);
}

void weft_nic_tx_end(struct weft_nic_operation *operation)
{
    hold(&operation->command, -1);
    free(operation->data);
    weft_nic_stream_close(operation->stream);
    weft_nic_gather_close(operation->gather);
    weft_list_remove(&operation->link);
    weft_pool_give(&operation->ni->nic->operations, operation);
}

static void all_sent(struct weft_nic_operation *operation)
{
    operation->is_all_sent = true;
    report_sent(&operation->command, operation->send_fail);
    weft_list_remove(&operation->link);
    if (operation->wants_result)
        weft_list_append(&operation->peer->awaiting, &operation->link);
    else
        weft_nic_tx_end(operation);
}

static bool has_left(const struct weft_nic_operation *operation)
{
    return !has_data(operation->command.kind) || operation->sent == operation->command.length;
}

/* Of a stream, only full packets leave before its end; HPUs may not have written the next. */
static bool has_next(const struct weft_nic_operation *operation, enum weft_packet_kind kind)
{
    const struct weft_nic_stream *stream = operation->stream;
    if (operation->gather)
        return weft_nic_gather_is_ready(operation->gather);
    return !stream || stream->is_ended ||
           stream->given - operation->sent >= weft_nic_link_room(operation->peer, kind);
}

/* Sends what fits; says whether that was all of it. */
static bool advance(struct weft_nic_operation *operation, bool is_first)
{
    if (is_first) {
        if (!has_next(operation, WEFT_PACKET_PUT))
            return false;
        int64_t sent = send_first(operation->ni, operation->peer, &operation->command, operation,
                                  operation->is_copied ? operation->copy : NULL);
        if (sent < 0)
            return false;
        operation->sent = (uint64_t)sent;
        operation->is_begun = true;
    }
    while (!has_left(operation))
        if (!has_next(operation, WEFT_PACKET_DATA) || !send_more(operation))
            return false;
    all_sent(operation);
    return true;
}

/* Data of a volatile descriptor may change as soon as the call returns. */
static void save_volatile(struct weft_nic_operation *operation)
{
    const struct weft_nic_command *command = &operation->command;
    if (!command->md || !(command->md->options & PTL_MD_VOLATILE) ||
        command->length > WEFT_NIC_VOLATILE_MAX || !has_data(command->kind) ||
        command->source != WEFT_NIC_SOURCE_MD)
        return;
    operation->is_copied = weft_nic_dma_read(&command->md->region, command->local_offset,
                                             operation->copy, command->length);
}

/* And a handler's data when it returns. */
static bool save_device(struct weft_nic_operation *operation)
{
    struct weft_nic_command *command = &operation->command;
    if (command->source != WEFT_NIC_SOURCE_DEVICE || command->length == 0 || operation->data)
        return true;
    operation->data = malloc(command->length);
    if (!operation->data)
        return false;
    memcpy(operation->data, command->device, command->length);
    command->device = operation->data;
    return true;
}

static int refuse(struct weft_nic_operation *operation)
{
    weft_nic_tx_end(operation);
    return PTL_NO_SPACE;
}

static struct weft_nic_operation *new_operation(struct weft_nic_ni *ni, struct weft_nic_peer *peer,
                                                const struct weft_nic_command *command)
{
    struct weft_nic_operation *operation = weft_pool_take(&ni->nic->operations);
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
static bool send_at_once(struct weft_nic_ni *ni, struct weft_nic_peer *peer,
                         const struct weft_nic_command *command)
{
    if (has_reply(command->kind) || command->length > weft_nic_link_room(peer, command->kind) ||
        useful_ack(command) != PTL_NO_ACK_REQ || command->source > WEFT_NIC_SOURCE_DEVICE)
        return false;
    if (send_first(ni, peer, command, NULL, NULL) < 0)
        return false;
    report_sent(command, PTL_NI_OK);
    return true;
}

/* ---- To oneself --------------------------------------------------------------------------- */

/* As handlers find payloads in packets. */
static bool is_aligned(const struct weft_nic_command *command)
{
    uintptr_t start = (uintptr_t)command->md->region.start + command->local_offset;
    return start % WEFT_PACKET_ALIGNMENT == 0;
}

/* Without order it need not wait behind packets that are still on their way through the world. */
static bool goes_straight(const struct weft_nic_ni *ni, const struct weft_nic_peer *peer,
                          const struct weft_nic_command *command)
{
    const struct weft_nic_md *md = command->md;
    return ni->nic->has_short_cut && (md->options & PTL_MD_UNORDERED) && !md->entry &&
           !md->region.pieces && command->source == WEFT_NIC_SOURCE_MD && is_aligned(command) &&
           (command->kind == WEFT_PACKET_PUT || command->kind == WEFT_PACKET_ATOMIC) &&
           weft_nic_address_is(peer->address, ni->nic->world->self) && !peer->inbound.open &&
           useful_ack(command) == PTL_NO_ACK_REQ;
}

/* The same packets, but their payload stays where it is. */
static void deliver(struct weft_nic_ni *ni, struct weft_nic_peer *peer,
                    const struct weft_nic_command *command)
{
    struct weft_packet packet = {0};
    uint64_t room = weft_nic_link_room(peer, WEFT_PACKET_PUT);
    describe(ni, command, 0, &packet);
    packet.payload = weft_nic_region_at(&command->md->region, command->local_offset);
    packet.head.length = (uint32_t)(command->length < room ? command->length : room);
    if (command->kind == WEFT_PACKET_PUT)
        weft_nic_sched_put(ni->nic, peer, &packet);
    else
        weft_nic_sched_request(ni->nic, peer, &packet);
    uint64_t sent = packet.head.length;
    room = weft_nic_link_room(peer, WEFT_PACKET_DATA);
    while (sent < command->length) {
        uint64_t left = command->length - sent;
        packet.head.kind = WEFT_PACKET_DATA;
        packet.payload += packet.head.length;
        packet.head.length = (uint32_t)(left < room ? left : room);
        packet.place = (struct weft_packet_place){sent};
        weft_nic_sched_data(ni->nic, peer, &packet);
        sent += packet.head.length;
    }
    report_sent(command, PTL_NI_OK);
}

/* ---- Starting ----------------------------------------------------------------------------- */

/* A peer that is gone is told of by events; that there was no memory to reach it, by the call. */
static int fail_at_once(const struct weft_nic_peer *peer, const struct weft_nic_command *command)
{
    if (!peer->failed)
        return PTL_NO_SPACE;
    weft_nic_tx_fail(command, PTL_NI_UNDELIVERABLE);
    return PTL_OK;
}

int weft_nic_tx_start_stream(struct weft_nic_ni *ni, const struct weft_nic_command *command,
                             uint64_t size, uint32_t *id)
{
    struct weft_nic_peer *peer = weft_nic_peer_of(ni, command->target);
    struct weft_nic_stream *stream = peer ? weft_nic_stream_open() : NULL;
    if (!stream)
        return PTL_NO_SPACE;
    if (!weft_nic_peer_is_usable(ni->nic, peer)) {
        weft_nic_stream_close(stream);
        *id = 0;
        return fail_at_once(peer, command);
    }
    struct weft_nic_operation *operation = new_operation(ni, peer, command);
    if (!operation) {
        weft_nic_stream_close(stream);
        return PTL_NO_SPACE;
    }
    operation->stream = stream;
    *id = operation->slot.id;
    weft_nic_peer_is_busy(ni->nic, peer);
    return weft_nic_tx_continue_stream(operation, command->local_offset, size,
                                       size == command->length);
}

int weft_nic_tx_continue_stream(struct weft_nic_operation *operation, uint64_t offset,
                                uint64_t size, bool is_last)
{
    struct weft_nic_stream *stream = operation->stream;
    if (!weft_nic_stream_add(stream, offset, size))
        return PTL_NO_SPACE;
    stream->is_ended |= is_last;
    weft_nic_tx_step(operation->ni->nic);
    return PTL_OK;
}

int weft_nic_tx_start(struct weft_nic_ni *ni, const struct weft_nic_command *command)
{
    struct weft_nic_peer *peer = weft_nic_peer_of(ni, command->target);
    if (!peer)
        return PTL_NO_SPACE;
    if (!weft_nic_peer_is_usable(ni->nic, peer))
        return fail_at_once(peer, command);
    if (command->md && weft_rare(goes_straight(ni, peer, command))) {
        deliver(ni, peer, command);
        return PTL_OK;
    }
    bool is_idle = weft_list_is_empty(&peer->requests) && weft_list_is_empty(&peer->responses);
    if (is_idle && send_at_once(ni, peer, command))
        return PTL_OK;
    struct weft_nic_operation *operation = new_operation(ni, peer, command);
    if (!operation)
        return PTL_NO_SPACE;
    /* A message that has begun must come to its end: there is no way back after its first packet.
     */
    if (command->length > weft_nic_link_room(peer, command->kind) && !save_device(operation))
        return refuse(operation);
    if (weft_rare(ni->nic->is_watched))
        weft_nic_gather_operation(operation);
    if (is_idle && advance(operation, true))
        return PTL_OK;
    if (!operation->is_begun)
        save_volatile(operation);
    if (!save_device(operation))
        return refuse(operation);
    weft_nic_peer_is_busy(ni->nic, peer);
    return PTL_OK;
}

/* ---- Going on ----------------------------------------------------------------------------- */

static bool step_peer(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    bool any = false;
    if (!weft_nic_answer_step(nic, peer, &any))
        return any;
    while (!weft_list_is_empty(&peer->requests)) {
        struct weft_nic_operation *operation =
            weft_list_object(peer->requests.next, struct weft_nic_operation, link);
        uint64_t sent = operation->sent;
        if (!advance(operation, !operation->is_begun))
            return any || operation->sent != sent;
        any = true;
    }
    weft_list_remove(&peer->busy);
    nic->posted++; /* an interface that closes waits for this */
    return any;
}

/* Peers may share a way out that has room for one packet at a time. So another is the first the
 * next time: else all would wait until the first has all of its messages. */
static void take_turns(struct weft_list *busy)
{
    struct weft_list *first = busy->next;
    if (first == busy->prev)
        return;
    weft_list_remove(first);
    weft_list_append(busy, first);
}

void weft_nic_tx_push(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    step_peer(nic, peer);
}

bool weft_nic_tx_step(struct weft_nic *nic)
{
    bool any = false;
    struct weft_list *link = nic->busy.next;
    while (link != &nic->busy) {
        struct weft_nic_peer *peer = weft_list_object(link, struct weft_nic_peer, busy);
        link = link->next;
        any |= step_peer(nic, peer);
    }
    take_turns(&nic->busy);
    return any;
}

/* ---- Ends --------------------------------------------------------------------------------- */

void weft_nic_tx_leave(struct weft_nic_operation *operation)
{
    weft_list_remove(&operation->link);
    operation->wants_result = false;
}

/* What HPUs write ends when they are done. */
static void lose(struct weft_nic_operation *operation)
{
    if (operation->activation) {
        uint64_t missing = operation->reply_length - operation->received;
        operation->reply_length = 0;
        weft_nic_tx_leave(operation);
        weft_nic_activation_abandon(operation->activation, missing);
        return;
    }
    report_lost_result(&operation->command, PTL_NI_UNDELIVERABLE);
    weft_nic_tx_end(operation);
}

void weft_nic_tx_lose(struct weft_nic_peer *peer, const struct weft_nic_operation *newest)
{
    const struct weft_nic_operation *last = NULL;
    while (!weft_list_is_empty(&peer->awaiting) && (!newest || last != newest)) {
        struct weft_nic_operation *operation =
            weft_list_object(peer->awaiting.next, struct weft_nic_operation, link);
        lose(operation);
        last = operation;
    }
}

void weft_nic_tx_stopped(struct weft_nic_operation *operation)
{
    weft_nic_tx_fail(&operation->command, PTL_NI_UNDELIVERABLE);
    weft_nic_tx_end(operation);
}

void weft_nic_tx_abandon(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    weft_list_remove(&peer->busy);
    weft_nic_answer_abandon(nic, peer);
    /* In the order of the calls: what was sent is older than what waits. */
    weft_nic_tx_lose(peer, NULL);
    struct weft_list *link = peer->requests.next;
    while (link != &peer->requests) {
        struct weft_nic_operation *operation =
            weft_list_object(link, struct weft_nic_operation, link);
        link = link->next;
        if (weft_nic_gather_stop(operation->gather))
            weft_nic_tx_stopped(operation);
    }
}

static void forget_operations(struct weft_list *list, const struct weft_nic_ni *ni)
{
    struct weft_list *link = list->next;
    while (link != list) {
        struct weft_nic_operation *operation =
            weft_list_object(link, struct weft_nic_operation, link);
        link = link->next;
        if (operation->ni == ni)
            weft_nic_tx_end(operation);
    }
}

void weft_nic_tx_forget(struct weft_nic *nic, const struct weft_nic_ni *ni)
{
    for (uint32_t i = 0; i < nic->peers.made; i++) {
        struct weft_nic_peer *peer = (struct weft_nic_peer *)weft_pool_at(&nic->peers, i);
        if (peer->slot.next != 0)
            continue;
        forget_operations(&peer->requests, ni);
        forget_operations(&peer->awaiting, ni);
        weft_nic_answer_forget(nic, peer, ni);
    }
}
