/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the NIC keeps from one execution to the next. An operation y that waits for one x is
 * triggered by the counter of x itself; if it waits for several, or may be held, it has a gate
 * that each of them increments ([DiG15], section II-C).
 *
 * Counters have no sign, so nothing may be taken from a gate that is not in it: a gate that can be
 * held begins with a token, and holding takes that. The token weighs as much as all that is waited
 * for, or those would open the gate of an operation that waits for any of several without it.
 */
#include "schedule/engine.h"
#include "schedule/schedule.h"

static const struct weft_schedule_mark at_once = {PTL_CT_NONE, 0};

static struct weft_schedule_mark mark(ptl_handle_ct_t ct, ptl_size_t threshold)
{
    return (struct weft_schedule_mark){ct, threshold};
}

bool weft_schedule_is_direct(const struct weft_schedule *schedule,
                             const struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    return weft_schedule_is_free(operation) && length <= schedule->engine->eager;
}

size_t weft_schedule_pieces(const struct weft_schedule *schedule,
                            const struct weft_schedule_operation *operation, size_t *piece)
{
    size_t length = weft_schedule_length(operation);
    *piece = operation->kind == WEFT_SCHEDULE_COPY ? length : schedule->engine->atomic;
    return length ? (length + *piece - 1) / *piece : 0;
}

/* ---- When it may run ---------------------------------------------------------------------- */

static size_t inputs_of(const struct weft_schedule_operation *operation)
{
    return operation->earlier_count + weft_schedule_needs_start(operation) +
           (operation->followed != NULL);
}

static int prepare_gate(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    size_t inputs = inputs_of(operation);
    size_t enough = operation->is_any && inputs ? 1 : inputs;
    operation->token = operation->may_be_held ? (inputs ? inputs : 1) : 0;
    int result = PtlCTAlloc(schedule->engine->ni, &operation->gate);
    if (result == PTL_OK && operation->may_be_held)
        result = PtlCTAlloc(schedule->engine->ni, &operation->started);
    operation->ready = mark(operation->gate, operation->token + enough);
    return result;
}

static int prepare_ready(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    if (operation->may_be_held || operation->followed || operation->earlier_count > 1)
        return prepare_gate(schedule, operation);
    if (operation->earlier_count == 1)
        operation->ready = schedule->operations[operation->earlier[0]].done;
    else if (operation->kind == WEFT_SCHEDULE_RECEIVE)
        operation->ready = at_once;
    else
        operation->ready = mark(schedule->begin, 1);
    return PTL_OK;
}

/* ---- Its memory --------------------------------------------------------------------------- */

static int bind(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                unsigned counts)
{
    struct weft_schedule_layout_view view;
    weft_schedule_layout_show(&operation->memory, &view);
    ptl_md_t md = {.start = view.start,
                   .length = view.length,
                   .options = view.options | counts | PTL_MD_EVENT_SUCCESS_DISABLE |
                              PTL_MD_EVENT_SEND_DISABLE,
                   .eq_handle = schedule->engine->eq,
                   .ct_handle = operation->own};
    return PtlMDBind(schedule->engine->ni, &md, &operation->md);
}

static int append_lasting(struct weft_schedule *schedule,
                          struct weft_schedule_operation *operation, ptl_me_t me,
                          const struct weft_schedule_layout *layout, ptl_pt_index_t table)
{
    struct weft_schedule_layout_view view;
    weft_schedule_layout_show(layout, &view);
    me.start = view.start;
    me.length = view.length;
    me.uid = PTL_UID_ANY;
    me.options |= view.options | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_LINK_DISABLE;
    return PtlMEAppend(schedule->engine->ni, table, &me, PTL_PRIORITY_LIST, NULL,
                       &operation->lasting);
}

/* Whoever gets the data ends the send as the acknowledgement of it does. */
static int prepare_send(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    int result = PtlCTAlloc(schedule->engine->ni, &operation->own);
    operation->done = mark(operation->own, length ? length : 1);
    if (result == PTL_OK)
        result =
            bind(schedule, operation, PTL_MD_EVENT_CT_ACK | (length ? PTL_MD_EVENT_CT_BYTES : 0));
    ptl_me_t me = {.ct_handle = operation->own,
                   .options = PTL_ME_OP_GET | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES,
                   .match_id = weft_schedule_process(operation->peer),
                   .match_bits = weft_schedule_bits(schedule, operation, 0)};
    if (result == PTL_OK && length)
        result = append_lasting(schedule, operation, me, &operation->memory, WEFT_SCHEDULE_PULLS);
    return result;
}

static int prepare_receive(struct weft_schedule *schedule,
                           struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    bool is_direct = weft_schedule_is_direct(schedule, operation);
    int result = PTL_OK;
    if (!is_direct)
        result = PtlCTAlloc(schedule->engine->ni, &operation->meeting);
    if (result == PTL_OK && (length || is_direct))
        result = PtlCTAlloc(schedule->engine->ni, &operation->own);
    if (length == 0 && !is_direct)
        operation->done = mark(operation->meeting, 2);
    else
        operation->done = mark(operation->own, length ? length : 1);
    if (result == PTL_OK && length)
        result = bind(schedule, operation, PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES);
    return result;
}

static int prepare_local(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    size_t piece, pieces = weft_schedule_pieces(schedule, operation, &piece);
    if (!pieces) {
        operation->done = operation->ready;
        return PTL_OK;
    }
    int result = PtlCTAlloc(schedule->engine->ni, &operation->own);
    operation->done = mark(operation->own, pieces);
    if (result == PTL_OK)
        result = bind(schedule, operation, PTL_MD_EVENT_CT_ACK);
    ptl_me_t me = {.ct_handle = PTL_CT_NONE,
                   .options = PTL_ME_OP_PUT,
                   .match_id = weft_schedule_process(schedule->engine->rank),
                   .match_bits = weft_schedule_local_bits(schedule, operation)};
    if (result == PTL_OK)
        result = append_lasting(schedule, operation, me, &operation->target, WEFT_SCHEDULE_LOCAL);
    return result;
}

static int prepare_kind(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    switch (operation->kind) {
    case WEFT_SCHEDULE_SEND:
        return prepare_send(schedule, operation);
    case WEFT_SCHEDULE_RECEIVE:
        return prepare_receive(schedule, operation);
    case WEFT_SCHEDULE_COMPUTE:
    case WEFT_SCHEDULE_COPY:
        return prepare_local(schedule, operation);
    case WEFT_SCHEDULE_NOP:
        operation->done = operation->ready;
        return PTL_OK;
    }
    return PTL_ARG_INVALID;
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* Who waits for all others is complete after them. */
static void find_implied(struct weft_schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const struct weft_schedule_operation *later = &schedule->operations[i];
        if (later->is_optional || (later->is_any && later->earlier_count > 1))
            continue;
        for (size_t j = 0; j < later->earlier_count; j++)
            schedule->operations[later->earlier[j]].is_implied = true;
    }
    for (size_t i = 0; i < schedule->count; i++)
        schedule->to_finish +=
            !schedule->operations[i].is_implied && !schedule->operations[i].is_optional;
}

int weft_schedule_prepare(struct weft_schedule *schedule)
{
    schedule->is_prepared = true;
    find_implied(schedule);
    int result = PtlCTAlloc(schedule->engine->ni, &schedule->begin);
    if (result == PTL_OK)
        result = PtlCTAlloc(schedule->engine->ni, &schedule->finish);
    for (size_t i = 0; result == PTL_OK && i < schedule->count; i++) {
        struct weft_schedule_operation *operation = &schedule->operations[i];
        result = prepare_ready(schedule, operation);
        if (result == PTL_OK)
            result = prepare_kind(schedule, operation);
    }
    return weft_schedule_error(result);
}
