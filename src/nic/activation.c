/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/activation.h"

#include <stdlib.h>
#include <string.h>

#include "nic/answer.h"
#include "nic/hpu.h"
#include "nic/payload.h"
#include "nic/result.h"
#include "nic/room.h"
#include "nic/scatter.h"
#include "nic/sched.h"
#include "nic/stages.h"
#include "nic/tx.h"

static void advance(struct weft_nic_activation *activation);

/* ---- The end of a message ----------------------------------------------------------------- */

/* Whether the data went to payload handlers, or nowhere, instead of into the entry. */
static bool is_diverted(const struct weft_nic_activation *activation)
{
    return activation->is_dropped ||
           (!activation->is_default && weft_nic_activation_handlers(activation)->payload_handler &&
            activation->delivery.kind != WEFT_PACKET_GET);
}

/* A message that came whole needs no record of its own. */
static bool is_recorded(const struct weft_nic_activation *activation)
{
    return activation->slot.id != 0;
}

static void destroy(struct weft_nic_activation *activation)
{
    if (!is_recorded(activation))
        return;
    free(activation->request_copy);
    weft_nic_room_give(weft_nic_activation_nic(activation), &activation->room);
    weft_list_remove(&activation->link);
    weft_pool_give(&weft_nic_activation_nic(activation)->hpu.activations, activation);
}

/* What happens to a message of another kind than put when its handlers are done. */
static void answer_request(struct weft_nic_activation *activation)
{
    struct weft_nic_delivery *delivery = &activation->delivery;
    struct weft_nic *nic = weft_nic_activation_nic(activation);
    bool fetches = delivery->kind != WEFT_PACKET_ATOMIC;
    if (is_diverted(activation) || delivery->fail != PTL_NI_OK) {
        if (activation->is_dropped || delivery->fail != PTL_NI_OK)
            delivery->length = 0;
        if (activation->is_dropped && fetches)
            weft_nic_activation_fail(activation, PTL_NI_DROPPED);
        if (fetches)
            weft_nic_answer_reply(nic, activation->peer, delivery, NULL);
        else
            weft_nic_sched_end(nic, activation->peer, delivery);
    } else if (delivery->kind == WEFT_PACKET_GET) {
        weft_nic_answer_reply(nic, activation->peer, delivery, NULL);
    } else {
        weft_nic_sched_atomic(nic, activation->peer, activation->request, delivery);
    }
}

static void end(struct weft_nic_activation *activation)
{
    struct weft_nic_delivery *delivery = &activation->delivery;
    if (weft_nic_activation_is_reply(activation)) {
        weft_nic_result_end(activation->reply, delivery->fail);
    } else if (!weft_nic_activation_is_put(activation)) {
        answer_request(activation);
    } else {
        if (is_diverted(activation))
            delivery->length = delivery->request.length - activation->dropped;
        weft_nic_sched_end(weft_nic_activation_nic(activation), activation->peer, delivery);
    }
    destroy(activation);
}

/* ---- Results ------------------------------------------------------------------------------ */

static void take_header_result(struct weft_nic_activation *activation, ptl_handler_result_t result)
{
    activation->phase = WEFT_NIC_PHASE_PAYLOAD;
    switch (result) {
    case PTL_HANDLER_PROCESS_DATA_PENDING:
        activation->delivery.is_pending = true;
        return;
    case PTL_HANDLER_PROCESS_DATA:
        return;
    case PTL_HANDLER_PROCEED_PENDING:
        activation->delivery.is_pending = true;
        activation->is_default = true;
        return;
    case PTL_HANDLER_PROCEED:
        activation->is_default = true;
        return;
    case PTL_HANDLER_DROP_PENDING:
        activation->delivery.is_pending = true;
        break;
    case PTL_HANDLER_DROP:
        break;
    case PTL_HANDLER_SEGV:
        weft_nic_activation_fail(activation, PTL_NI_SEGV);
        break;
    default:
        weft_nic_activation_fail(activation, PTL_NI_HANDLER);
        break;
    }
    activation->is_dropped = true;
}

static void take_completion_result(struct weft_nic_activation *activation,
                                   ptl_handler_result_t result)
{
    activation->phase = WEFT_NIC_PHASE_END;
    if (result == PTL_HANDLER_SUCCESS_PENDING)
        activation->delivery.is_pending = true;
    else if (result != PTL_HANDLER_SUCCESS)
        weft_nic_activation_fail(activation,
                                 result == PTL_HANDLER_SEGV ? PTL_NI_SEGV : PTL_NI_HANDLER);
}

void weft_nic_activation_done(struct weft_nic_task *task)
{
    struct weft_nic_activation *activation = task->activation;
    activation->running--;
    if (weft_rare(task->fault != PTL_NI_OK))
        weft_nic_activation_fail(activation, task->fault);
    if (task->handler == WEFT_NIC_HANDLER_SCATTER)
        activation->delivery.ni->status[PTL_SR_HPU_SCATTERED]++;
    if (task->handler == WEFT_NIC_HANDLER_PAYLOAD || task->handler == WEFT_NIC_HANDLER_SCATTER)
        weft_nic_payload_result(activation, task->result,
                                weft_nic_hpu_payload(activation, &task->payload).length);
    else if (task->handler == WEFT_NIC_HANDLER_HEADER)
        take_header_result(activation, task->result);
    else
        take_completion_result(activation, task->result);
    if (!weft_nic_hpu_is_inline(weft_nic_activation_nic(activation))) {
        weft_list_remove(&task->at_work);
        weft_nic_hpu_release(task);
        weft_nic_payload_release_held(activation);
    }
    advance(activation);
}

/* ---- Order -------------------------------------------------------------------------------- */

/* Header and completion handlers, which no limit of contexts stops; false without memory. With
 * the completion handler the activation may be gone when this returns. */
static bool call(struct weft_nic_activation *activation, enum weft_nic_handler handler,
                 const ptl_payload_t *user_header)
{
    if (weft_nic_hpu_is_inline(weft_nic_activation_nic(activation))) {
        weft_nic_hpu_submit(&(struct weft_nic_task){.activation = activation,
                                                    .handler = handler,
                                                    .vhpu = UINT32_MAX,
                                                    .payload = *user_header});
        return true;
    }
    struct weft_nic_task *task = weft_nic_hpu_context(activation, handler, user_header);
    if (!task) {
        weft_nic_activation_fail(activation, PTL_NI_DROPPED);
        return false;
    }
    task->vhpu = UINT32_MAX;
    weft_nic_hpu_submit(task);
    return true;
}

static bool has_all(const struct weft_nic_activation *activation)
{
    return activation->has_all_packets && !activation->running &&
           weft_list_is_empty(&activation->held);
}

/* Where stages take time, a message ends when its last byte is in host memory. */
static bool is_settled(struct weft_nic_activation *activation)
{
    struct weft_nic *nic = weft_nic_activation_nic(activation);
    return !nic->timing ||
           weft_nic_stages_settle(nic, activation) <= nic->world->ops->now(nic->world);
}

static void advance(struct weft_nic_activation *activation)
{
    if (!has_all(activation))
        return;
    if (activation->phase == WEFT_NIC_PHASE_PAYLOAD) {
        bool calls = weft_nic_activation_handlers(activation)->completion_handler &&
                     !activation->is_default;
        activation->phase = WEFT_NIC_PHASE_COMPLETION;
        if (calls && call(activation, WEFT_NIC_HANDLER_COMPLETION, &(ptl_payload_t){0}))
            return;
        activation->phase = WEFT_NIC_PHASE_END;
    }
    if (activation->phase == WEFT_NIC_PHASE_END && is_settled(activation))
        end(activation);
}

/* One message that has only waited for its last byte. Its end may end others. */
static bool settle_one(struct weft_nic *nic)
{
    nic->timing->deadline = UINT64_MAX;
    for (struct weft_list *link = nic->hpu.active.next; link != &nic->hpu.active;
         link = link->next) {
        struct weft_nic_activation *activation =
            weft_list_object(link, struct weft_nic_activation, link);
        if (activation->phase != WEFT_NIC_PHASE_END || !has_all(activation))
            continue;
        if (is_settled(activation)) {
            end(activation);
            return true;
        }
        if (activation->settled < nic->timing->deadline)
            nic->timing->deadline = activation->settled;
    }
    return false;
}

bool weft_nic_activation_settle(struct weft_nic *nic)
{
    bool any = false;
    while (settle_one(nic))
        any = true;
    return any;
}

/* ---- Packets ------------------------------------------------------------------------------ */

/* Atomic operations come in one packet, which their end may need. */
static bool keep_request(struct weft_nic_activation *activation, const struct weft_packet *packet)
{
    activation->request = packet->payload;
    if (weft_nic_hpu_is_inline(weft_nic_activation_nic(activation)) || packet->head.length == 0)
        return true;
    activation->request = activation->request_copy = malloc(packet->head.length);
    if (activation->request_copy)
        memcpy(activation->request_copy, packet->payload, packet->head.length);
    return activation->request_copy;
}

static struct weft_nic_activation *new_activation(struct weft_nic *nic, struct weft_nic_peer *peer,
                                                  const struct weft_nic_delivery *delivery)
{
    struct weft_nic_activation *activation = weft_pool_take(&nic->hpu.activations);
    if (!activation)
        return NULL;
    activation->delivery = *delivery;
    activation->peer = peer;
    weft_list_init(&activation->held);
    weft_list_init(&activation->at_work);
    weft_list_append(&nic->hpu.active, &activation->link);
    return activation;
}

static struct weft_nic_activation *open_activation(struct weft_nic *nic,
                                                   struct weft_nic_peer *peer,
                                                   const struct weft_packet *packet,
                                                   const struct weft_nic_delivery *delivery)
{
    struct weft_nic_activation *activation = new_activation(nic, peer, delivery);
    if (!activation)
        return NULL;
    if (weft_nic_activation_is_put(activation) || keep_request(activation, packet))
        return activation;
    destroy(activation);
    return NULL;
}

static void refuse(struct weft_nic *nic, struct weft_nic_peer *peer,
                   const struct weft_nic_delivery *delivery)
{
    struct weft_nic_delivery refused = *delivery;
    refused.fail = PTL_NI_DROPPED;
    refused.length = 0;
    if (delivery->kind == WEFT_PACKET_PUT || delivery->kind == WEFT_PACKET_ATOMIC)
        weft_nic_sched_end(nic, peer, &refused);
    else
        weft_nic_answer_reply(nic, peer, &refused, NULL);
}

static void call_header(struct weft_nic_activation *activation, const ptl_payload_t *first)
{
    ptl_payload_t user_header = *first;
    if (user_header.length > weft_nic_activation_handlers(activation)->user_hdr_size)
        user_header.length = weft_nic_activation_handlers(activation)->user_hdr_size;
    if (!weft_nic_activation_handlers(activation)->header_handler) {
        activation->phase = WEFT_NIC_PHASE_PAYLOAD;
    } else if (!call(activation, WEFT_NIC_HANDLER_HEADER, &user_header)) {
        activation->phase = WEFT_NIC_PHASE_PAYLOAD;
        activation->is_dropped = true;
    }
}

/* What handlers do may end the message early, if they find its sender dead: not before they and
 * the packet are done. */
static void hold(struct weft_nic_activation *activation)
{
    activation->running++;
}

static void let_go(struct weft_nic_activation *activation, bool last)
{
    activation->running--;
    activation->has_all_packets |= last;
    if (activation->has_all_packets)
        advance(activation);
}

static void take_first(struct weft_nic_activation *activation, const struct weft_packet *packet,
                       bool last)
{
    uint32_t operand = packet->request.operand; /* of a swap: no part of its data */
    ptl_payload_t first = {packet->head.length - operand, 0, packet->payload + operand};
    hold(activation);
    call_header(activation, &first);
    activation->is_direct = weft_nic_payload_is_direct(activation);
    weft_nic_payload_take(activation, &first);
    let_go(activation, last);
}

/* Without HPUs, a message of one packet is over when this returns. */
static __attribute__((noinline)) void pass_through(struct weft_nic_peer *peer,
                                                   const struct weft_packet *packet,
                                                   const struct weft_nic_delivery *delivery)
{
    struct weft_nic_activation activation;
    activation.slot.id = 0;
    activation.delivery = *delivery;
    activation.peer = peer;
    activation.request = packet->payload;
    activation.request_copy = NULL;
    activation.phase = WEFT_NIC_PHASE_HEADER;
    activation.running = activation.packets = 0;
    activation.dropped = 0;
    activation.has_all_packets = activation.is_dropped = activation.is_default = false;
    activation.flow_control = false;
    weft_list_init(&activation.held);
    const ptl_handlers_t *handlers = weft_nic_activation_handlers(&activation);
    const ptl_payload_t payload = {packet->head.length, 0, packet->payload};
    if (handlers->header_handler || handlers->completion_handler ||
        !weft_nic_activation_is_put(&activation) || !weft_nic_payload_is_direct(&activation) ||
        payload.length == 0 || weft_nic_payload_is_misaligned(&payload)) {
        take_first(&activation, packet, true);
        return;
    }
    weft_nic_payload_call(&activation, &payload);
    activation.delivery.length = delivery->request.length - activation.dropped;
    weft_nic_sched_end(weft_nic_activation_nic(&activation), peer, &activation.delivery);
}

static __attribute__((noinline)) void begin(struct weft_nic *nic, struct weft_nic_peer *peer,
                                            const struct weft_packet *packet,
                                            const struct weft_nic_delivery *delivery, bool last)
{
    struct weft_nic_activation *activation = open_activation(nic, peer, packet, delivery);
    if (!activation) {
        refuse(nic, peer, delivery);
        return;
    }
    if (!last)
        peer->inbound = (struct weft_nic_inbound){.delivery = *delivery,
                                                  .activation = activation,
                                                  .received = packet->head.length,
                                                  .open = true};
    take_first(activation, packet, last);
}

void weft_nic_activation_begin(struct weft_nic *nic, struct weft_nic_peer *peer,
                               const struct weft_packet *packet,
                               const struct weft_nic_delivery *delivery)
{
    bool last =
        delivery->kind != WEFT_PACKET_PUT || packet->head.length == delivery->request.length;
    if (last && weft_nic_hpu_is_inline(nic))
        pass_through(peer, packet, delivery);
    else
        begin(nic, peer, packet, delivery, last);
}

struct weft_nic_activation *weft_nic_activation_open_reply(struct weft_nic_operation *operation,
                                                           const struct weft_packet *packet)
{
    struct weft_nic *nic = operation->ni->nic;
    const struct weft_nic_command *command = &operation->command;
    struct weft_nic_delivery delivery = {
        .ni = operation->ni,
        .kind = WEFT_PACKET_REPLY,
        .fail = operation->reply_fail,
        .pt = &nic->hpu.replies,
        .execution = weft_nic_scatter_execution(nic, &command->get_md->region, packet,
                                                operation->reply_length),
        .offset = command->get_offset,
        .length = operation->reply_length};
    if (!delivery.execution)
        return NULL;
    struct weft_nic_activation *activation = new_activation(nic, operation->peer, &delivery);
    if (!activation)
        return NULL;
    activation->reply = operation;
    activation->phase = WEFT_NIC_PHASE_PAYLOAD;
    return activation;
}

void weft_nic_activation_data(struct weft_nic_activation *activation,
                              const struct weft_packet *packet, uint64_t offset, bool last)
{
    ptl_payload_t payload = {packet->head.length, offset, packet->payload};
    hold(activation);
    weft_nic_payload_take(activation, &payload);
    let_go(activation, last);
}

void weft_nic_activation_abandon(struct weft_nic_activation *activation, uint64_t missing)
{
    activation->dropped += missing;
    activation->delivery.operation = 0; /* nobody wants to know any more */
    weft_nic_activation_fail(activation, PTL_NI_UNDELIVERABLE);
    activation->has_all_packets = true;
    advance(activation);
}

/* ---- Interfaces that close ---------------------------------------------------------------- */

static void forget_tasks(struct weft_list *list, size_t member)
{
    while (!weft_list_is_empty(list))
        weft_nic_hpu_drop((struct weft_nic_task *)((char *)list->next - member));
}

void weft_nic_activation_forget(struct weft_nic *nic, const struct weft_nic_ni *ni)
{
    struct weft_list *link = nic->hpu.active.next;
    while (link != &nic->hpu.active) {
        struct weft_nic_activation *activation =
            weft_list_object(link, struct weft_nic_activation, link);
        link = link->next;
        if (activation->delivery.ni != ni)
            continue;
        forget_tasks(&activation->held, offsetof(struct weft_nic_task, link));
        forget_tasks(&activation->at_work, offsetof(struct weft_nic_task, at_work));
        if (weft_nic_activation_is_reply(activation) && activation->has_all_packets)
            weft_nic_tx_end(activation->reply);
        destroy(activation);
    }
}
