/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/gather.h"

#include "nic/answer.h"
#include "nic/dma.h"
#include "nic/hpu.h"
#include "nic/link.h"
#include "nic/outbound.h"
#include "nic/room.h"
#include "nic/tx.h"

/* Enough for every HPU to have the next packet while the last one leaves. */
static uint32_t most_ahead(const struct weft_nic *nic)
{
    return 2 * nic->hpu.config.count;
}

static bool has_handler(const struct weft_nic_gather *gather)
{
    return gather->operation && gather->operation->command.outbound.handler;
}

/* ---- Life --------------------------------------------------------------------------------- */

static struct weft_nic_gather *new_gather(struct weft_nic_ni *ni, struct weft_nic_peer *peer,
                                          uint64_t length, enum weft_packet_kind first,
                                          enum weft_packet_kind other)
{
    struct weft_nic_gather *gather = weft_pool_take(&ni->nic->hpu.gathers);
    if (!gather)
        return NULL;
    gather->ni = ni;
    gather->peer = peer;
    gather->length = length;
    gather->first = weft_nic_link_room(peer, first);
    gather->other = weft_nic_link_room(peer, other);
    weft_list_init(&gather->tasks);
    weft_list_append(&ni->nic->hpu.gathering, &gather->link);
    return gather;
}

void weft_nic_gather_operation(struct weft_nic_operation *operation)
{
    struct weft_nic_command *command = &operation->command;
    bool is_long = command->length > weft_nic_link_room(operation->peer, command->kind);
    bool is_layout = command->source == WEFT_NIC_SOURCE_MD && command->kind == WEFT_PACKET_PUT &&
                     command->md->region.layout && is_long;
    if (!operation->ni->nic->hpu.scatters ||
        !(is_layout || command->source == WEFT_NIC_SOURCE_HANDLER))
        return;
    operation->gather = new_gather(operation->ni, operation->peer, command->length,
                                   WEFT_PACKET_PUT, WEFT_PACKET_DATA);
    if (operation->gather) {
        operation->gather->operation = operation;
        command->source = WEFT_NIC_SOURCE_GATHER;
    }
}

void weft_nic_gather_response(struct weft_nic_response *response)
{
    const struct weft_nic_delivery *delivery = &response->delivery;
    if (!delivery->ni->nic->hpu.scatters || !delivery->entry || !delivery->entry->region.layout ||
        delivery->length <= weft_nic_link_room(response->peer, WEFT_PACKET_REPLY))
        return;
    response->gather = new_gather(delivery->ni, response->peer, delivery->length,
                                  WEFT_PACKET_REPLY, WEFT_PACKET_REPLY_DATA);
    if (response->gather)
        response->gather->response = response;
}

static struct weft_nic_task *first_of(const struct weft_nic_gather *gather)
{
    return weft_list_object(gather->tasks.next, struct weft_nic_task, at_work);
}

void weft_nic_gather_close(struct weft_nic_gather *gather)
{
    if (!gather)
        return;
    while (!weft_list_is_empty(&gather->tasks))
        weft_nic_hpu_drop(first_of(gather));
    weft_nic_room_give(gather->ni->nic, &gather->room);
    weft_list_remove(&gather->link);
    weft_pool_give(&gather->ni->nic->hpu.gathers, gather);
}

bool weft_nic_gather_stop(struct weft_nic_gather *gather)
{
    if (!gather || gather->running == 0)
        return true;
    gather->is_stopped = true;
    return false;
}

/* ---- Ahead of the message ----------------------------------------------------------------- */

static uint64_t size_at(const struct weft_nic_gather *gather, uint64_t offset)
{
    uint64_t size = offset == 0 ? gather->first : gather->other;
    return size < gather->length - offset ? size : gather->length - offset;
}

static const ptl_layout_t *layout_of(const struct weft_nic_gather *gather)
{
    return gather->operation ? gather->operation->command.md->region.layout
                             : gather->response->delivery.entry->region.layout;
}

static bool has_room(struct weft_nic_gather *gather)
{
    return has_handler(gather) ||
           weft_nic_room_take(gather->ni->nic, &gather->room, layout_of(gather), &gather->running);
}

static bool may_issue(const struct weft_nic_gather *gather)
{
    uint32_t most = has_handler(gather) ? 1 : most_ahead(gather->ni->nic);
    return gather->issued < gather->length && gather->running < most && !gather->is_stopped;
}

static void issue(struct weft_nic_gather *gather)
{
    struct weft_nic *nic = gather->ni->nic;
    uint32_t ahead = 0;
    for (const struct weft_list *link = gather->tasks.next; link != &gather->tasks;
         link = link->next)
        ahead++;
    for (; ahead < most_ahead(nic) && may_issue(gather) && has_room(gather); ahead++) {
        struct weft_nic_task *task = weft_nic_hpu_outbound(nic, gather);
        if (!task)
            return;
        task->payload.offset = gather->issued;
        task->payload.length = size_at(gather, gather->issued);
        gather->issued += task->payload.length;
        gather->running++;
        weft_list_append(&gather->tasks, &task->at_work);
        weft_nic_hpu_enqueue(task);
    }
}

bool weft_nic_gather_is_ready(struct weft_nic_gather *gather)
{
    if (gather->is_stopped)
        return false;
    issue(gather);
    return weft_list_is_empty(&gather->tasks) || first_of(gather)->is_done;
}

const unsigned char *weft_nic_gather_data(const struct weft_nic_gather *gather)
{
    return weft_list_is_empty(&gather->tasks) ? NULL : first_of(gather)->bytes;
}

ptl_ni_fail_t weft_nic_gather_next(struct weft_nic_gather *gather)
{
    if (weft_list_is_empty(&gather->tasks)) {
        gather->issued += size_at(gather, gather->issued);
        gather->ni->status[PTL_SR_HPU_REFUSED]++;
        return PTL_NI_OK;
    }
    struct weft_nic_task *task = first_of(gather);
    ptl_ni_fail_t fail = weft_nic_outbound_fail(task->result, task->fault);
    weft_nic_hpu_drop(task);
    return fail;
}

/* ---- On an HPU ---------------------------------------------------------------------------- */

ptl_handler_result_t weft_nic_gather_run(struct weft_nic_task *task, struct weft_nic_run *run)
{
    const struct weft_nic_gather *gather = task->gather;
    uint64_t offset = task->payload.offset, size = task->payload.length;
    bool is_read;
    if (gather->operation) {
        const struct weft_nic_command *command = &gather->operation->command;
        if (command->outbound.handler)
            return weft_nic_outbound_run(run, command, offset, task->bytes, size);
        is_read = weft_nic_dma_read(&command->md->region, command->local_offset + offset,
                                    task->bytes, size);
    } else {
        const struct weft_nic_delivery *delivery = &gather->response->delivery;
        is_read = weft_nic_dma_read(&delivery->entry->region, delivery->offset + offset,
                                    task->bytes, size);
    }
    return is_read ? PTL_HANDLER_SUCCESS : PTL_HANDLER_SEGV;
}

void weft_nic_gather_done(struct weft_nic_task *task)
{
    struct weft_nic_gather *gather = task->gather;
    task->is_done = true;
    gather->running--;
    gather->ni->status[PTL_SR_HPU_GATHERED]++;
    if (!gather->is_stopped)
        weft_nic_tx_push(gather->ni->nic, gather->peer);
    else if (gather->running == 0 && gather->operation)
        weft_nic_tx_stopped(gather->operation);
    else if (gather->running == 0)
        weft_nic_answer_stopped(gather->ni->nic, gather->response);
}
