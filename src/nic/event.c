/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/event.h"

#include <stdlib.h>
#include <string.h>

#include "nic/trace.h"
#include "nic/trigger.h"

/* ---- Queues ------------------------------------------------------------------------------- */

bool weft_nic_event_resize(struct weft_nic_eq *eq, uint64_t count, uint64_t reserve)
{
    uint64_t room = 8;
    while (room < count + reserve)
        room *= 2;
    if (room > eq->room) {
        ptl_event_t *events = malloc(room * sizeof *events);
        if (!events)
            return false;
        for (uint64_t i = eq->read; i < eq->posted; i++)
            events[i & (room - 1)] = eq->events[i & (eq->room - 1)];
        free(eq->events);
        eq->events = events;
        eq->room = room;
    }
    eq->count = count;
    eq->reserve = reserve;
    return true;
}

int weft_nic_event_get(struct weft_nic_eq *eq, ptl_event_t *event)
{
    if (eq->read == eq->posted)
        return PTL_EQ_EMPTY;
    *event = eq->events[eq->read++ & (eq->room - 1)];
    int result = eq->lost ? PTL_EQ_DROPPED : PTL_OK;
    eq->lost = false;
    return result;
}

bool weft_nic_event_has_room(struct weft_nic_ni *ni, uint32_t id, unsigned count)
{
    struct weft_nic_eq *eq = weft_pool_find(&ni->eqs, id);
    return !eq || eq->posted - eq->read + eq->promised + count <= eq->count;
}

void weft_nic_event_promise(struct weft_nic_ni *ni, uint32_t id, int count)
{
    struct weft_nic_eq *eq = weft_pool_find(&ni->eqs, id);
    if (eq)
        eq->promised += (uint64_t)(int64_t)count;
}

/* The place of the next event, or NULL if nobody listens. `most`: events that may wait; the
 * oldest is overwritten if more would, and the reader is told. */
static inline ptl_event_t *next_event(struct weft_nic *nic, struct weft_nic_eq *eq, uint64_t most)
{
    if (eq->posted - eq->read >= most) {
        eq->read++;
        eq->lost = true;
    }
    nic->posted++;
    return &eq->events[eq->posted++ & (eq->room - 1)];
}

static inline ptl_event_t *post(struct weft_nic_ni *ni, uint32_t id)
{
    struct weft_nic_eq *eq = weft_pool_find(&ni->eqs, id);
    return eq ? next_event(ni->nic, eq, eq->count) : NULL;
}

/* ---- At the target ------------------------------------------------------------------------ */

static void *start_of(const struct weft_nic_delivery *delivery, const struct weft_nic_entry *entry)
{
    uint64_t offset = delivery->offset;
    if (offset > entry->region.length)
        offset = entry->region.length;
    return weft_nic_region_at(&entry->region, offset);
}

void weft_nic_event_target(const struct weft_nic_delivery *delivery,
                           const struct weft_nic_entry *entry, ptl_event_kind_t type,
                           void *user_ptr)
{
    const struct weft_packet_request *request = &delivery->request;
    struct weft_nic *nic = delivery->ni->nic;
    const struct weft_nic_pt *pt = delivery->pt;
    if (pt->queue && weft_pool_is(&pt->queue->slot, pt->eq)) {
        ptl_event_t *event = next_event(nic, pt->queue, pt->queue->count);
        event->user_ptr = user_ptr;
        event->hdr_data = request->hdr_data;
        event->match_bits = request->match_bits;
        event->rlength = request->length;
        event->mlength = delivery->length;
        event->remote_offset = request->remote_offset;
        event->uid = nic->world->uid; /* match.c says why */
        event->initiator = delivery->initiator;
        event->type = type;
        event->ptl_list = entry->list;
        event->pt_index = request->pt_index;
        event->ni_fail_type = delivery->fail;
        event->atomic_operation = (ptl_op_t)request->atomic_operation;
        event->atomic_type = (ptl_datatype_t)request->atomic_type;
        event->start = start_of(delivery, entry);
    }
    weft_nic_trace(nic, WEFT_TRACE_EVENT, NULL, type | (uint64_t)delivery->fail << 8,
                   delivery->length);
}

void weft_nic_event_entry(const struct weft_nic_entry *entry, ptl_event_kind_t type)
{
    ptl_event_t *event = post(entry->ni, entry->ni->pts[entry->pt_index].eq);
    weft_nic_trace(entry->ni->nic, WEFT_TRACE_EVENT, NULL, type, 0);
    if (event)
        *event = (ptl_event_t){
            .type = type,
            .start = entry->region.start,
            .user_ptr = entry->user_ptr,
            .match_bits = entry->match_bits,
            .ptl_list = entry->list,
            .pt_index = entry->pt_index,
            .ni_fail_type = PTL_NI_OK,
        };
}

static void post_plain(struct weft_nic_ni *ni, struct weft_nic_eq *eq, uint64_t most,
                       ptl_event_t plain)
{
    weft_nic_trace(ni->nic, WEFT_TRACE_EVENT, NULL, plain.type | (uint64_t)plain.ni_fail_type << 8,
                   0);
    if (eq)
        *next_event(ni->nic, eq, most) = plain;
}

void weft_nic_event_pt_disabled(struct weft_nic_ni *ni, const struct weft_nic_pt *pt)
{
    struct weft_nic_eq *eq = weft_pool_find(&ni->eqs, pt->eq);
    post_plain(ni, eq, eq ? eq->count + eq->reserve : 0,
               (ptl_event_t){.type = PTL_EVENT_PT_DISABLED,
                             .pt_index = (ptl_pt_index_t)(pt - ni->pts),
                             .ni_fail_type = PTL_NI_PT_DISABLED});
}

void weft_nic_event_dma(const struct weft_nic_delivery *delivery,
                        const struct weft_nic_entry *entry, void *start, uint64_t length)
{
    struct weft_nic_ni *ni = delivery->ni;
    struct weft_nic_eq *eq = weft_pool_find(&ni->eqs, delivery->pt->eq);
    post_plain(ni, eq, eq ? eq->count : 0,
               (ptl_event_t){.type = PTL_EVENT_DMA,
                             .start = start,
                             .user_ptr = entry->user_ptr,
                             .hdr_data = delivery->request.hdr_data,
                             .match_bits = delivery->request.match_bits,
                             .mlength = length,
                             .initiator = delivery->initiator,
                             .pt_index = delivery->request.pt_index,
                             .ni_fail_type = PTL_NI_OK});
}

bool weft_nic_event_not_linked(const struct weft_nic_entry *entry)
{
    struct weft_nic_ni *ni = entry->ni;
    struct weft_nic_eq *eq = weft_pool_find(&ni->eqs, ni->pts[entry->pt_index].eq);
    post_plain(ni, eq, eq ? eq->count : 0,
               (ptl_event_t){.type = PTL_EVENT_LINK,
                             .user_ptr = entry->user_ptr,
                             .ptl_list = entry->list,
                             .pt_index = entry->pt_index,
                             .ni_fail_type = PTL_NI_UNDELIVERABLE});
    return eq;
}

void weft_nic_event_no_match(struct weft_nic_ni *ni, const struct weft_nic_pt *pt, void *user_ptr)
{
    struct weft_nic_eq *eq = weft_pool_find(&ni->eqs, pt->eq);
    post_plain(ni, eq, eq ? eq->count : 0,
               (ptl_event_t){.type = PTL_EVENT_SEARCH,
                             .user_ptr = user_ptr,
                             .pt_index = (ptl_pt_index_t)(pt - ni->pts),
                             .ni_fail_type = PTL_NI_NO_MATCH});
}

/* ---- At the initiator --------------------------------------------------------------------- */

static unsigned counted_by(ptl_event_kind_t type)
{
    switch (type) {
    case PTL_EVENT_SEND:
        return PTL_MD_EVENT_CT_SEND;
    case PTL_EVENT_ACK:
        return PTL_MD_EVENT_CT_ACK;
    default:
        return PTL_MD_EVENT_CT_REPLY;
    }
}

static bool is_wanted(unsigned options, const struct weft_nic_initiator_event *what)
{
    if (what->count_only)
        return false;
    if (what->fail != PTL_NI_OK)
        return true;
    unsigned disabled = PTL_MD_EVENT_SUCCESS_DISABLE;
    if (what->type == PTL_EVENT_SEND)
        disabled |= PTL_MD_EVENT_SEND_DISABLE;
    return !(options & disabled);
}

void weft_nic_event_initiator(const struct weft_nic_command *command, struct weft_nic_md *md,
                              const struct weft_nic_initiator_event *what)
{
    struct weft_nic_ni *ni = md->ni;
    unsigned options = weft_nic_command_options(command, md);
    weft_nic_trace(ni->nic, WEFT_TRACE_EVENT, NULL, what->type | (uint64_t)what->fail << 8,
                   what->length);
    ptl_event_t *event = is_wanted(options, what) ? post(ni, md->eq) : NULL;
    if (event)
        *event = (ptl_event_t){
            .type = what->type,
            .user_ptr = command->user_ptr,
            .hdr_data = command->hdr_data,
            .match_bits = command->match_bits,
            .rlength = command->length,
            .mlength = what->length,
            .remote_offset = what->remote_offset,
            .initiator = command->target,
            .ptl_list = what->list,
            .pt_index = command->pt_index,
            .ni_fail_type = what->fail,
            .atomic_operation = (ptl_op_t)command->atomic_operation,
            .atomic_type = (ptl_datatype_t)command->atomic_type,
        };
    /* An acknowledgement that only says "completed" counts operations, never bytes. */
    bool bytes = options & PTL_MD_EVENT_CT_BYTES &&
                 !(what->type == PTL_EVENT_ACK && command->ack == PTL_OC_ACK_REQ);
    if (options & counted_by(what->type))
        weft_nic_event_count(ni, md->ct, what->fail, bytes ? what->length : 1);
}

/* ---- Counters ----------------------------------------------------------------------------- */

void weft_nic_event_count(struct weft_nic_ni *ni, uint32_t id, ptl_ni_fail_t fail, uint64_t count)
{
    struct weft_nic_ct *ct = weft_pool_find(&ni->cts, id);
    if (!ct)
        return;
    if (fail == PTL_NI_OK)
        ct->value.success += count;
    else
        ct->value.failure++;
    weft_nic_trigger_reached(ct);
}
