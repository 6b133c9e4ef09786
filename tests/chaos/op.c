/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/op.h"

#include <string.h>

#include "chaos/scene.h"

bool op_has_data(const struct op *op)
{
    return op->kind != OP_GET;
}

bool op_has_reply(const struct op *op)
{
    return op->kind == OP_GET || op->kind == OP_FETCH || op->kind == OP_SWAP;
}

void op_payload(const struct op *op, uint64_t offset, void *to, uint64_t size)
{
    layout_read(&op->md->layout, op->initiator->scene->pattern, op->local_offset + offset, to,
                size);
}

const char *op_text(const struct op *op)
{
    static const char *const names[] = {"put", "get", "atomic", "fetch", "swap"};
    static char text[160];
    snprintf(text, sizeof text,
             "%s %u, node %u to %u, pt %u, %llu bytes at %llu, bits %llx, fail %u",
             names[op->kind], op->number, op->initiator->number, op->target, op->table,
             (unsigned long long)op->length, (unsigned long long)op->remote_offset,
             (unsigned long long)op->match_bits, op->fail);
    return text;
}

/* ---- Issuing ------------------------------------------------------------------------------ */

static uint64_t reply_offset(const struct op *op)
{
    return (uint64_t)op->slot * SCENE_SLOT;
}

/* The data of a volatile descriptor lies in the scratch area during the call only. */
static uint64_t source_offset(struct op *op)
{
    if (!op->md || !(op->md->options & PTL_MD_VOLATILE))
        return op->local_offset;
    op_payload(op, 0, op->initiator->scratch, op->length);
    return 0;
}

static int call(struct op *op)
{
    const struct scene *scene = op->initiator->scene;
    ptl_process_t target = scene_process(scene, scene->scenario.interface, op->target);
    ptl_pt_index_t pt = scene->nodes[op->target].target.tables[op->table].index;
    ptl_handle_md_t md = op->md ? op->md->handle : PTL_INVALID_HANDLE;
    ptl_handle_md_t get_md = op->get_md ? op->get_md->handle : PTL_INVALID_HANDLE;
    uint64_t local = source_offset(op), reply = reply_offset(op);
    switch (op->kind) {
    case OP_PUT:
        return PtlPut(md, local, op->length, op->ack, target, pt, op->match_bits,
                      op->remote_offset, op, op->hdr_data);
    case OP_GET:
        return PtlGet(get_md, reply, op->length, target, pt, op->match_bits, op->remote_offset,
                      op);
    case OP_ATOMIC:
        return PtlAtomic(md, local, op->length, op->ack, target, pt, op->match_bits,
                         op->remote_offset, op, op->hdr_data, op->operation, op->type);
    case OP_FETCH:
        return PtlFetchAtomic(get_md, reply, md, local, op->length, target, pt, op->match_bits,
                              op->remote_offset, op, op->hdr_data, op->operation, op->type);
    case OP_SWAP:
        return PtlSwap(get_md, reply, md, local, op->length, target, pt, op->match_bits,
                       op->remote_offset, op, op->hdr_data, op->operand, op->operation, op->type);
    }
    return PTL_FAIL;
}

int op_issue(struct op *op)
{
    struct scene *scene = op->initiator->scene;
    struct pair *pair = &scene->pairs[op->initiator->number][op->target];
    *pair->end = op;
    pair->end = &op->next_in_pair;
    int result = call(op);
    if (op->md && op->md->options & PTL_MD_VOLATILE)
        memset(op->initiator->scratch, SCENE_GUARD, SCENE_SCRATCH);
    if (result != PTL_OK)
        scene_fail(scene, op->initiator->number, "the call of %s returns %d", op_text(op), result);
    return result;
}

/* ---- What must be told -------------------------------------------------------------------- */

ptl_ack_req_t op_useful_ack(const struct op *op)
{
    if (op_has_reply(op) || !op->md)
        return PTL_NO_ACK_REQ;
    bool counts = op->md->counter != PTL_CT_NONE && op->md->options & PTL_MD_EVENT_CT_ACK;
    if (op->ack == PTL_ACK_REQ && op->md->has_queue)
        return PTL_ACK_REQ;
    return op->ack != PTL_NO_ACK_REQ && counts ? PTL_CT_ACK_REQ : PTL_NO_ACK_REQ;
}

static const struct md *result_md(const struct op *op)
{
    return op_has_reply(op) ? op->get_md : op->md;
}

static bool has_result_event(const struct op *op)
{
    return op_has_reply(op) ? op->get_md->has_queue : op_useful_ack(op) == PTL_ACK_REQ;
}

static bool target_is_dead(const struct op *op)
{
    return scene_is_dead(op->initiator->scene, op->target);
}

static bool send_must_show(const struct op *op)
{
    return op_has_data(op) && op->md->has_queue &&
           !(op->md->options & (PTL_MD_EVENT_SEND_DISABLE | PTL_MD_EVENT_SUCCESS_DISABLE));
}

static bool result_must_show(const struct op *op)
{
    if (!has_result_event(op))
        return false;
    bool is_quiet = op->arrived && op->is_quiet && !op_has_reply(op);
    bool hides_success = result_md(op)->options & PTL_MD_EVENT_SUCCESS_DISABLE;
    /* The dead may have said so before they died. */
    if (target_is_dead(op))
        return !is_quiet && !hides_success;
    return !is_quiet && !(hides_success && op->arrived && op->fail == PTL_NI_OK);
}

bool op_is_told(const struct op *op)
{
    return (op->sends || !send_must_show(op)) && (op->results || !result_must_show(op));
}

bool op_is_done(const struct op *op)
{
    bool is_over = target_is_dead(op) || (op->arrived && op->ended);
    return is_over && op_is_told(op);
}

bool op_end_is_seen(const struct op *op)
{
    if (has_result_event(op))
        return op->results;
    return !op_has_reply(op) && op_useful_ack(op) == PTL_NO_ACK_REQ && op->sends;
}

/* ---- Events ------------------------------------------------------------------------------- */

void op_take_reply(const struct op *op)
{
    struct node *node = op->initiator;
    unsigned char is[SCENE_SLOT];
    const unsigned char *should = node->replies + reply_offset(op);
    layout_read(&node->landing_layout, node->landing, reply_offset(op), is, SCENE_SLOT);
    /* Of a reply that did not come whole any part may be there: packets overtake each other. */
    bool may_be_cut = op->results ? op->result_fail == PTL_NI_UNDELIVERABLE : target_is_dead(op);
    uint64_t right = 0;
    while (right < op->mlength &&
           (is[right] == should[right] || (may_be_cut && is[right] == SCENE_GUARD)))
        right++;
    while (right >= op->mlength && right < SCENE_SLOT && is[right] == SCENE_GUARD)
        right++;
    if (right < SCENE_SLOT)
        scene_fail(node->scene, node->number,
                   "byte %llu of the reply of %s is wrong; %llu bytes should have come",
                   (unsigned long long)right, op_text(op), (unsigned long long)op->mlength);
    layout_fill(&node->landing_layout, node->landing, reply_offset(op), SCENE_GUARD, SCENE_SLOT);
    node->slot_is_used[op->slot] = false;
}

static void check_send(struct op *op, const ptl_event_t *event)
{
    struct scene *scene = op->initiator->scene;
    op->send_fail = event->ni_fail_type;
    if (op->sends++)
        scene_fail(scene, op->initiator->number, "a second SEND of %s", op_text(op));
    else if (!op_has_data(op) || op->results)
        scene_fail(scene, op->initiator->number, "a SEND after the result of %s", op_text(op));
    else if (event->ni_fail_type == PTL_NI_OK && !send_must_show(op))
        scene_fail(scene, op->initiator->number, "a SEND that was not wanted, of %s", op_text(op));
}

static const char *result_fault(const struct op *op, const ptl_event_t *event)
{
    if (op->results > 1)
        return "it has one already";
    if (event->type != (op_has_reply(op) ? PTL_EVENT_REPLY : PTL_EVENT_ACK))
        return "it is of the wrong kind";
    if (!has_result_event(op))
        return "nobody asked for it";
    if (event->ni_fail_type == PTL_NI_UNDELIVERABLE)
        return event->mlength ? "its mlength is not 0" : NULL;
    if (!op->arrived)
        return "it has not arrived";
    if (!op->ended)
        return "it has not ended at its target";
    if (op->is_quiet && !op_has_reply(op))
        return "its entry forbids acknowledgements";
    if (event->ni_fail_type != op->fail)
        return "the fail type is wrong";
    if (event->mlength != op->mlength)
        return "the mlength is wrong";
    if (op->fail == PTL_NI_OK && event->remote_offset != op->offset)
        return "the remote offset is wrong";
    if (op->fail == PTL_NI_OK && !op_has_reply(op) && event->ptl_list != op->entry->list)
        return "the list is wrong";
    if (op->fail == PTL_NI_OK && result_md(op)->options & PTL_MD_EVENT_SUCCESS_DISABLE)
        return "its descriptor wants none";
    return NULL;
}

static void check_result(struct op *op, const ptl_event_t *event)
{
    op->results++;
    op->result_fail = event->ni_fail_type;
    const char *wrong = result_fault(op, event);
    if (wrong) {
        scene_fail(op->initiator->scene, op->initiator->number,
                   "event %d with fail %d, mlength %llu and offset %llu for %s: %s", event->type,
                   event->ni_fail_type, (unsigned long long)event->mlength,
                   (unsigned long long)event->remote_offset, op_text(op), wrong);
        return;
    }
    if (op_has_reply(op))
        op_take_reply(op);
    if (event->ni_fail_type == PTL_NI_PT_DISABLED)
        op->initiator->refused = op;
}

void op_event(struct node *node, const ptl_event_t *event)
{
    struct op *op = event->user_ptr;
    if (op->initiator != node) {
        scene_fail(node->scene, node->number, "an event of another node, of %s", op_text(op));
        return;
    }
    if (event->ni_fail_type == PTL_NI_UNDELIVERABLE && !target_is_dead(op)) {
        scene_fail(node->scene, node->number, "undeliverable, but its target lives: %s",
                   op_text(op));
        return;
    }
    if (event->rlength != op->length || event->hdr_data != op->hdr_data)
        scene_fail(node->scene, node->number, "wrong rlength or hdr_data of event %d of %s",
                   event->type, op_text(op));
    if (event->type == PTL_EVENT_SEND)
        check_send(op, event);
    else
        check_result(op, event);
}

/* ---- Counters ----------------------------------------------------------------------------- */

static void add(ptl_ct_event_t *least, ptl_ct_event_t *most, ptl_ni_fail_t fail, uint64_t count)
{
    ptl_ct_event_t one = {.success = fail == PTL_NI_OK ? count : 0, .failure = fail != PTL_NI_OK};
    least->success += one.success;
    least->failure += one.failure;
    most->success += one.success;
    most->failure += one.failure;
}

static void count_send(const struct op *op, ptl_ct_event_t *least, ptl_ct_event_t *most)
{
    bool bytes = op->md->options & PTL_MD_EVENT_CT_BYTES;
    uint64_t count = bytes ? op->length : 1;
    if (op->sends || op->md->has_queue || !target_is_dead(op)) {
        add(least, most, op->sends ? op->send_fail : PTL_NI_OK, count);
        return;
    }
    most->success += count;
    most->failure++;
}

static void count_result(const struct op *op, ptl_ct_event_t *least, ptl_ct_event_t *most)
{
    bool bytes = result_md(op)->options & PTL_MD_EVENT_CT_BYTES &&
                 (op_has_reply(op) || op->ack != PTL_OC_ACK_REQ);
    uint64_t count = bytes ? op->mlength : 1;
    if (op->results) {
        add(least, most, op->result_fail, count);
    } else if (target_is_dead(op)) {
        most->success += count;
        most->failure++;
    } else if (op_has_reply(op) || !op->is_quiet) {
        /* "Operation completed" says nothing of how. */
        bool only_completed = !op_has_reply(op) && op->ack == PTL_OC_ACK_REQ;
        add(least, most, only_completed ? PTL_NI_OK : op->fail, count);
    }
}

void op_count(const struct op *op, const struct md *md, ptl_ct_event_t *least,
              ptl_ct_event_t *most)
{
    if (op->md == md && md->options & PTL_MD_EVENT_CT_SEND)
        count_send(op, least, most);
    if (op->get_md == md && md->options & PTL_MD_EVENT_CT_REPLY)
        count_result(op, least, most);
    if (op->md == md && md->options & PTL_MD_EVENT_CT_ACK && op_useful_ack(op) != PTL_NO_ACK_REQ)
        count_result(op, least, most);
}
