/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of messages that arrive: what they write, what is sent back, which events they cause.
 */
#include <string.h>

#include "chaos/arithmetic.h"
#include "chaos/scene.h"

/* ---- Events ------------------------------------------------------------------------------- */

void target_post_message(struct target *target, const struct op *op, ptl_event_kind_t type,
                         const struct entry *entry, void *user_ptr)
{
    const struct table *table = &target->tables[op->table];
    const struct scene *scene = target->scene;
    unsigned interface = scene->scenario.interface;
    const struct expected expected = {
        .event = {.start =
                      op->mlength ? layout_at(&entry->layout, target->area, op->offset) : NULL,
                  .user_ptr = user_ptr,
                  .hdr_data = op->hdr_data,
                  .match_bits = interface & PTL_NI_MATCHING ? op->match_bits : 0,
                  .rlength = op->length,
                  .mlength = op->mlength,
                  .remote_offset = op->remote_offset,
                  .uid = WEFT_SIM_UID,
                  .initiator = scene_process(scene, interface, op->initiator->number),
                  .type = type,
                  .ptl_list = entry->list,
                  .pt_index = table->index,
                  .ni_fail_type = op->fail,
                  .atomic_operation = op->operation,
                  .atomic_type = op->type},
        .op = op,
        .entry = entry};
    queue_post(&target->queues[table->queue], &expected, false);
}

void target_post_entry(struct target *target, const struct entry *entry, ptl_event_kind_t type)
{
    const struct table *table = &target->tables[entry->table];
    const struct expected expected = {.event = {.type = type,
                                                .user_ptr = (void *)entry,
                                                .pt_index = table->index,
                                                .ni_fail_type = PTL_NI_OK}};
    queue_post(&target->queues[table->queue], &expected, false);
}

void target_count(struct target *target, const struct entry *entry, const struct op *op)
{
    if (entry->counter < 0)
        return;
    ptl_ct_event_t *value = &target->counters[entry->counter].value;
    if (op->fail != PTL_NI_OK)
        value->failure++;
    else
        value->success += entry->me.options & PTL_ME_EVENT_CT_BYTES ? op->mlength : 1;
}

static ptl_event_kind_t event_of(enum op_kind kind)
{
    switch (kind) {
    case OP_PUT:
        return PTL_EVENT_PUT;
    case OP_GET:
        return PTL_EVENT_GET;
    case OP_ATOMIC:
        return PTL_EVENT_ATOMIC;
    default:
        return PTL_EVENT_FETCH_ATOMIC;
    }
}

static void end(struct target *target, struct op *op)
{
    struct entry *entry = op->entry;
    op->ended = true;
    if (!entry)
        return;
    struct table *table = &target->tables[op->table];
    unsigned options = entry->me.options;
    target->queues[table->queue].promised -= op->promised;
    bool is_wanted = op->fail != PTL_NI_OK || !(options & PTL_ME_EVENT_SUCCESS_DISABLE);
    if (is_wanted && !(options & PTL_ME_EVENT_COMM_DISABLE))
        target_post_message(target, op, event_of(op->kind), entry, entry);
    if (options & PTL_ME_EVENT_CT_COMM)
        target_count(target, entry, op);
    if (op->last_use && !(options & PTL_ME_EVENT_UNLINK_DISABLE))
        target_post_entry(target, entry, PTL_EVENT_AUTO_UNLINK);
    if (op->header)
        target_close_header(target, op->header);
    table->last_end = scene_now(target->scene);
    entry->pending--;
    target_settle(target, entry);
}

/* ---- Requests ----------------------------------------------------------------------------- */

/* Bytes of a message of which those beyond mlength are thrown away. */
static void write_payload(struct target *target, const struct op *op, uint64_t at, uint64_t size)
{
    if (!op->entry || at >= op->mlength)
        return;
    unsigned char bytes[SCENE_PATTERN / 4];
    uint64_t left = op->mlength - at;
    if (size > left)
        size = left;
    op_payload(op, at, bytes, size);
    layout_write(&op->entry->layout, target->shadow, op->offset + at, bytes, size);
}

static void take_put(struct target *target, struct op *op, uint64_t payload)
{
    struct inbound *inbound = &target->inbound[op->initiator->number];
    write_payload(target, op, 0, payload);
    if (payload == op->length)
        end(target, op);
    else
        *inbound = (struct inbound){op, payload};
}

static void calculate(struct target *target, struct op *op)
{
    unsigned char source[512], items[512];
    if (!op->entry)
        return;
    layout_read(&op->entry->layout, target->shadow, op->offset, items, op->mlength);
    if (op_has_reply(op))
        memcpy(op->initiator->replies + (size_t)op->slot * SCENE_SLOT, items, op->mlength);
    op_payload(op, 0, source, op->mlength);
    arithmetic_apply(op->operation, op->type, items, source, op->mlength, op->operand);
    layout_write(&op->entry->layout, target->shadow, op->offset, items, op->mlength);
}

static void owe(struct target *target, struct op *op)
{
    struct op **last = &target->owed[op->initiator->number];
    while (*last)
        last = &(*last)->next_owed;
    *last = op;
}

void target_request(struct target *target, struct op *op, uint64_t payload)
{
    if (target->inbound[op->initiator->number].op)
        scene_fail(target->scene, target->number, "%s arrives in the middle of another message",
                   op_text(op));
    op->arrived = true;
    target_match(target, op);
    if (op->kind == OP_PUT) {
        take_put(target, op, payload);
        return;
    }
    if (op->kind != OP_GET) {
        calculate(target, op);
        end(target, op);
    }
    if (op_has_reply(op))
        owe(target, op);
}

/* Of the message that is arriving. */
uint64_t target_received(const struct target *target, unsigned source)
{
    return target->inbound[source].received;
}

void target_data(struct target *target, unsigned source, uint64_t offset, uint64_t payload)
{
    struct inbound *inbound = &target->inbound[source];
    struct op *op = inbound->op;
    if (!op) {
        scene_fail(target->scene, target->number, "data from node %u belongs to no message",
                   source);
        return;
    }
    write_payload(target, op, offset, payload);
    inbound->received += payload;
    if (inbound->received >= op->length) {
        inbound->op = NULL;
        end(target, op);
    }
}

/* Bytes of the oldest reply that is owed leave now. What a get brings is what the memory holds at
 * this moment. */
void target_replies(struct target *target, unsigned initiator, uint64_t payload)
{
    struct op *op = target->owed[initiator];
    if (!op) {
        scene_fail(target->scene, target->number, "replies to node %u, which did not ask",
                   initiator);
        return;
    }
    if (op->kind == OP_GET && op->entry) {
        unsigned char *reply = op->initiator->replies + (size_t)op->slot * SCENE_SLOT;
        layout_read(&op->entry->layout, target->shadow, op->offset + op->replied,
                    reply + op->replied, payload);
    }
    op->replied += payload;
    if (op->replied < op->mlength)
        return;
    target->owed[initiator] = op->next_owed;
    if (op->kind == OP_GET)
        end(target, op);
}

void target_peer_failed(struct target *target, unsigned peer)
{
    struct inbound *inbound = &target->inbound[peer];
    if (inbound->op) {
        inbound->op->fail = PTL_NI_UNDELIVERABLE;
        end(target, inbound->op);
        inbound->op = NULL;
    }
    while (target->owed[peer]) {
        struct op *op = target->owed[peer];
        target->owed[peer] = op->next_owed;
        if (op->kind == OP_GET) {
            op->fail = PTL_NI_UNDELIVERABLE;
            end(target, op);
        }
    }
}

bool target_is_receiving(const struct target *target)
{
    for (unsigned i = 0; i < SCENARIO_NODES; i++)
        if (target->inbound[i].op || target->owed[i])
            return true;
    return false;
}

/* ---- Checks ------------------------------------------------------------------------------- */

void target_event(struct target *target, unsigned queue, int result, const ptl_event_t *event)
{
    struct scene *scene = target->scene;
    struct expected expected = {0};
    const char *wrong = queue_take(&target->queues[queue], result, event,
                                   scene->scenario.interface & PTL_NI_LOGICAL, &expected);
    if (wrong) {
        const ptl_event_t *should = &expected.event;
        scene_fail(scene, target->number,
                   "event %d fail %d pt %u mlength %llu hdr_data %llx: %s; should be event %d "
                   "fail %d pt %u mlength %llu, of %s",
                   event->type, event->ni_fail_type, event->pt_index,
                   (unsigned long long)event->mlength, (unsigned long long)event->hdr_data, wrong,
                   should->type, should->ni_fail_type, should->pt_index,
                   (unsigned long long)should->mlength,
                   expected.op ? op_text(expected.op) : "no message");
        return;
    }
    if (expected.op && expected.op->entry &&
        !layout_equals(&expected.entry->layout, target->area, target->shadow, expected.op->offset,
                       expected.op->mlength))
        scene_fail(scene, target->number, "the data of %s is wrong at its event",
                   op_text(expected.op));
}

void target_check_memory(const struct target *target)
{
    for (unsigned i = 0; i < TARGET_AREA; i++)
        if (target->area[i] != target->shadow[i]) {
            scene_fail(target->scene, target->number, "byte %u of the memory is %02x, not %02x", i,
                       target->area[i], target->shadow[i]);
            return;
        }
}
