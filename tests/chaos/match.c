/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of matching: which entry takes a message, and what of it. */
#include "chaos/arithmetic.h"
#include "chaos/scene.h"

static bool source_fits(const struct target *target, const struct entry *entry,
                        const struct op *op)
{
    unsigned interface = target->scene->scenario.interface;
    ptl_process_t wanted = entry->me.match_id;
    ptl_process_t source = scene_process(target->scene, interface, op->initiator->number);
    if (interface & PTL_NI_LOGICAL)
        return wanted.rank == PTL_RANK_ANY || wanted.rank == source.rank;
    return (wanted.phys.nid == PTL_NID_ANY || wanted.phys.nid == source.phys.nid) &&
           (wanted.phys.pid == PTL_PID_ANY || wanted.phys.pid == source.phys.pid);
}

static uint64_t offset_in(const struct entry *entry, const struct op *op)
{
    return entry->me.options & PTL_ME_MANAGE_LOCAL ? entry->local_offset : op->remote_offset;
}

static uint64_t room_behind(const struct entry *entry, uint64_t offset)
{
    return offset > entry->layout.length ? 0 : entry->layout.length - offset;
}

bool target_fits(const struct target *target, const struct entry *entry, const struct op *op)
{
    if (target->scene->scenario.interface & PTL_NI_NO_MATCHING)
        return true;
    if ((entry->me.match_bits & ~entry->me.ignore_bits) !=
        (op->match_bits & ~entry->me.ignore_bits))
        return false;
    if (!source_fits(target, entry, op))
        return false;
    if (entry->me.options & PTL_ME_NO_TRUNCATE)
        return room_behind(entry, offset_in(entry, op)) >= op->length;
    return true;
}

static struct entry *find(const struct target *target, struct entry *list, const struct op *op)
{
    while (list && !target_fits(target, list, op))
        list = list->next;
    return list;
}

static ptl_ni_fail_t violation(const struct entry *entry, const struct op *op)
{
    if (entry->me.uid != PTL_UID_ANY && entry->me.uid != WEFT_SIM_UID)
        return PTL_NI_PERM_VIOLATION;
    unsigned needed =
        (op_has_data(op) ? PTL_ME_OP_PUT : 0) | (op_has_reply(op) ? PTL_ME_OP_GET : 0);
    return (entry->me.options & needed) == needed ? PTL_NI_OK : PTL_NI_OP_VIOLATION;
}

/* Nothing is left to take a message with; `options` are of the entry that wanted it. */
static void run_out(struct target *target, struct table *table, unsigned options, struct op *op)
{
    target->status[PTL_SR_DROP_COUNT]++;
    op->fail = PTL_NI_DROPPED;
    if (!table->has_flow_control)
        return;
    op->fail = PTL_NI_PT_DISABLED;
    table->is_enabled = false;
    if (options & PTL_ME_EVENT_FLOWCTRL_DISABLE)
        return;
    const struct expected expected = {.event = {.type = PTL_EVENT_PT_DISABLED,
                                                .pt_index = table->index,
                                                .ni_fail_type = PTL_NI_PT_DISABLED}};
    queue_post(&target->queues[table->queue], &expected, true);
}

static void place(struct entry *entry, struct op *op)
{
    op->offset = offset_in(entry, op);
    op->mlength = room_behind(entry, op->offset);
    if (op->mlength > op->length)
        op->mlength = op->length;
    if (op->kind != OP_PUT && op->kind != OP_GET)
        op->mlength -= op->mlength % arithmetic_size(op->type);
    unsigned options = entry->me.options;
    bool is_full = options & PTL_ME_MANAGE_LOCAL && entry->me.min_free &&
                   room_behind(entry, op->offset + op->mlength) < entry->me.min_free;
    op->last_use = is_full || options & PTL_ME_USE_ONCE;
}

/* Whether there are the headers, and with flow control the events, that the message needs. */
static bool secure(struct target *target, const struct table *table, const struct entry *entry,
                   struct op *op)
{
    unsigned options = entry->me.options;
    struct queue *queue = &target->queues[table->queue];
    unsigned events = !(options & PTL_ME_EVENT_COMM_DISABLE);
    events += op->last_use && !(options & PTL_ME_EVENT_UNLINK_DISABLE);
    if (table->has_flow_control && !queue_has_room(queue, events))
        return false;
    bool needs_header =
        entry->list == PTL_OVERFLOW_LIST && !(options & PTL_ME_UNEXPECTED_HDR_DISABLE);
    if (needs_header && target->header_count == (unsigned)target->limits.max_unexpected_headers)
        return false;
    op->promised = table->has_flow_control ? events : 0;
    queue->promised += op->promised;
    op->entry = (struct entry *)entry;
    if (needs_header)
        target_open_header(target, op);
    return true;
}

void target_match(struct target *target, struct op *op)
{
    struct table *table = &target->tables[op->table];
    op->fail = PTL_NI_OK;
    if (!table->is_allocated || !table->is_enabled) {
        target->status[PTL_SR_DROP_COUNT]++;
        op->fail = table->is_allocated ? PTL_NI_PT_DISABLED : PTL_NI_DROPPED;
        return;
    }
    struct entry *entry = find(target, table->lists[PTL_PRIORITY_LIST], op);
    if (!entry)
        entry = find(target, table->lists[PTL_OVERFLOW_LIST], op);
    if (!entry) {
        run_out(target, table, 0, op);
        return;
    }
    op->fail = violation(entry, op);
    if (op->fail != PTL_NI_OK) {
        target->status[op->fail == PTL_NI_PERM_VIOLATION ? PTL_SR_PERMISSION_VIOLATIONS
                                                         : PTL_SR_OPERATION_VIOLATIONS]++;
        return;
    }
    place(entry, op);
    if (!secure(target, table, entry, op)) {
        op->mlength = op->offset = 0;
        run_out(target, table, entry->me.options, op);
        return;
    }
    op->is_quiet = entry->me.options & PTL_ME_ACK_DISABLE;
    entry->pending++;
    if (entry->me.options & PTL_ME_MANAGE_LOCAL)
        entry->local_offset += op->mlength;
    if (op->last_use) {
        target_remove(target, entry);
        entry->was_used_up = true;
    }
}
