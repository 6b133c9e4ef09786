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
#include "schedule/combine.h"
#include "schedule/engine.h"
#include "schedule/schedule.h"
#include "schedule/stream.h"

static const struct weft_schedule_mark at_once = {PTL_CT_NONE, 0};

static struct weft_schedule_mark mark(ptl_handle_ct_t ct, ptl_size_t threshold)
{
    return (struct weft_schedule_mark){ct, threshold};
}

static bool is_short(const struct weft_schedule *schedule,
                     const struct weft_schedule_operation *operation)
{
    return weft_schedule_length(operation) <= schedule->engine->eager;
}

bool weft_schedule_is_direct(const struct weft_schedule *schedule,
                             const struct weft_schedule_operation *operation)
{
    return weft_schedule_is_free(operation) && is_short(schedule, operation);
}

bool weft_schedule_is_stashed(const struct weft_schedule *schedule,
                              const struct weft_schedule_operation *operation)
{
    return operation->kind == WEFT_SCHEDULE_RECEIVE && !weft_schedule_is_free(operation) &&
           is_short(schedule, operation) && weft_schedule_length(operation);
}

ptl_payload_handler_t weft_schedule_handler(const struct weft_schedule *schedule,
                                            const struct weft_schedule_operation *operation)
{
    bool is_long = weft_schedule_length(operation) > schedule->engine->atomic;
    return operation->kind == WEFT_SCHEDULE_COMPUTE && is_long
               ? weft_schedule_combine(operation->operation, operation->datatype)
               : NULL;
}

size_t weft_schedule_pieces(const struct weft_schedule *schedule,
                            const struct weft_schedule_operation *operation, size_t *piece)
{
    size_t length = weft_schedule_length(operation);
    bool is_whole =
        operation->kind == WEFT_SCHEDULE_COPY || weft_schedule_handler(schedule, operation);
    *piece = is_whole ? length : schedule->engine->atomic;
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
    else if (operation->kind == WEFT_SCHEDULE_RECEIVE || operation->is_early)
        operation->ready = at_once;
    else
        operation->ready = mark(schedule->begin, 1);
    return PTL_OK;
}

/* ---- Its memory --------------------------------------------------------------------------- */

static int bind(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                const struct weft_schedule_layout *layout, unsigned options, ptl_handle_ct_t ct)
{
    struct weft_schedule_layout_view view;
    weft_schedule_layout_show(layout, &view);
    ptl_md_t md = {.start = view.start,
                   .length = view.length,
                   .options = view.options | options | PTL_MD_EVENT_SUCCESS_DISABLE |
                              PTL_MD_EVENT_SEND_DISABLE,
                   .eq_handle = schedule->engine->eq,
                   .ct_handle = ct};
    return PtlMDBind(schedule->engine->ni, &md, &operation->md);
}

static int append_lasting(struct weft_schedule *schedule, ptl_me_t me,
                          const struct weft_schedule_layout *layout, ptl_pt_index_t table,
                          ptl_payload_handler_t handler, ptl_handle_me_t *entry)
{
    struct weft_schedule_layout_view view;
    weft_schedule_layout_show(layout, &view);
    me.start = view.start;
    me.length = view.length;
    me.uid = PTL_UID_ANY;
    me.options |= view.options | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_LINK_DISABLE;
    if (!handler)
        return PtlMEAppend(schedule->engine->ni, table, &me, PTL_PRIORITY_LIST, NULL, entry);
    const ptl_handlers_t handlers = {.payload_handler = handler, .hpu_memory = PTL_HPU_NONE};
    return PtlMEAppendHandlers(schedule->engine->ni, table, &me, &handlers, PTL_PRIORITY_LIST,
                               NULL, entry);
}

/* Where a process writes to its own memory. That counts there, so nothing need be answered. */
static int append_local(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                        const struct weft_schedule_layout *layout)
{
    ptl_me_t me = {.ct_handle = operation->own,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM,
                   .match_id = weft_schedule_process(schedule->engine->rank),
                   .match_bits = weft_schedule_local_bits(schedule, operation)};
    return append_lasting(schedule, me, layout, WEFT_SCHEDULE_LOCAL,
                          weft_schedule_handler(schedule, operation), &operation->lasting[0]);
}

/* ---- Messages ----------------------------------------------------------------------------- */

/* Whoever gets the data ends the send as the acknowledgement of it does. */
int weft_schedule_append_pull(struct weft_schedule *schedule,
                              const struct weft_schedule_operation *operation,
                              const struct weft_schedule_layout *layout, ptl_handle_ct_t ct,
                              uint16_t parity, ptl_handle_me_t *entry)
{
    ptl_me_t me = {.ct_handle = ct,
                   .options = PTL_ME_OP_GET | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES,
                   .match_id = weft_schedule_process(operation->peer),
                   .match_bits = weft_schedule_bits(schedule, operation, parity)};
    return append_lasting(schedule, me, layout, WEFT_SCHEDULE_PULLS, NULL, entry);
}

static int append_pulls(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                        const struct weft_schedule_layout *even,
                        const struct weft_schedule_layout *odd)
{
    int result = PTL_OK;
    for (uint16_t parity = 0; result == PTL_OK && parity < 2; parity++)
        result = weft_schedule_append_pull(schedule, operation, parity ? odd : even,
                                           operation->own, parity, &operation->lasting[parity]);
    return result;
}

static int prepare_copied(struct weft_schedule *schedule,
                          struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    operation->stash = weft_schedule_scratch_of(schedule, 2 * length);
    if (!operation->stash)
        return PTL_NO_SPACE;
    const struct weft_schedule_layout both = {.base = operation->stash, .length = 2 * length};
    const struct weft_schedule_layout even = {.base = operation->stash, .length = length};
    const struct weft_schedule_layout odd = {.base = operation->stash + length, .length = length};
    int result = bind(schedule, operation, &both, PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_BYTES,
                      operation->own);
    return result == PTL_OK ? append_pulls(schedule, operation, &even, &odd) : result;
}

/* Handlers of the receive do it, or it leaves as a whole: its receiver has said that it may. */
static int prepare_streamed(struct weft_schedule *schedule, struct weft_schedule_operation *send)
{
    const struct weft_schedule_operation *receive = weft_schedule_stream_receive(schedule, send);
    if (receive) {
        send->done = receive->done;
        return PTL_OK;
    }
    int result = PtlCTAlloc(schedule->engine->ni, &send->own);
    send->done = mark(send->own, weft_schedule_length(send));
    return result == PTL_OK ? bind(schedule, send, &send->memory,
                                   PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_BYTES, send->own)
                            : result;
}

static int prepare_send(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    bool is_at_start = operation->ready.ct == schedule->begin;
    int result = PtlCTAlloc(schedule->engine->ni, &operation->own);
    operation->done = mark(operation->own, length ? length : 1);
    operation->is_copied =
        schedule->is_steady && is_at_start && length && is_short(schedule, operation);
    if (result != PTL_OK)
        return result;
    if (operation->is_copied) {
        operation->done = operation->ready;
        return prepare_copied(schedule, operation);
    }
    const struct weft_schedule_layout *layout = &operation->memory;
    if (length == 0)
        return bind(schedule, operation, layout, PTL_MD_EVENT_CT_SEND, operation->own);
    result = bind(schedule, operation, layout, PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_BYTES,
                  operation->own);
    return result == PTL_OK ? append_pulls(schedule, operation, layout, layout) : result;
}

static int prepare_stashed(struct weft_schedule *schedule,
                           struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    operation->stash = weft_schedule_scratch_of(schedule, length);
    int result =
        operation->stash ? PtlCTAlloc(schedule->engine->ni, &operation->meeting) : PTL_NO_SPACE;
    if (result == PTL_OK)
        result = PtlCTAlloc(schedule->engine->ni, &operation->own);
    operation->done = mark(operation->own, 1);
    const struct weft_schedule_layout stash = {.base = operation->stash, .length = length};
    if (result == PTL_OK)
        result = bind(schedule, operation, &stash,
                      PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES | PTL_MD_UNORDERED,
                      operation->meeting);
    if (result == PTL_OK)
        result = append_local(schedule, operation, &operation->memory);
    return result;
}

static int prepare_receive(struct weft_schedule *schedule,
                           struct weft_schedule_operation *operation)
{
    if (weft_schedule_is_stashed(schedule, operation))
        return prepare_stashed(schedule, operation);
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
        result = bind(schedule, operation, &operation->memory,
                      PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES, operation->own);
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
        result = bind(schedule, operation, &operation->memory, PTL_MD_UNORDERED, PTL_CT_NONE);
    if (result == PTL_OK)
        result = append_local(schedule, operation, &operation->target);
    return result;
}

static int prepare_kind(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    switch (operation->kind) {
    case WEFT_SCHEDULE_SEND:
        return operation->stream ? prepare_streamed(schedule, operation)
                                 : prepare_send(schedule, operation);
    case WEFT_SCHEDULE_RECEIVE:
        return operation->stream ? weft_schedule_stream_prepare(schedule, operation)
                                 : prepare_receive(schedule, operation);
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
}

/* What may be held, wait for any of several or never run does not count the same every time. */
static void find_steady(struct weft_schedule *schedule)
{
    schedule->is_steady = !schedule->has_optional;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct weft_schedule_operation *operation = &schedule->operations[i];
        if (operation->may_be_held || operation->is_any)
            schedule->is_steady = false;
    }
}

static bool counts_start(const struct weft_schedule *schedule,
                         const struct weft_schedule_operation *operation)
{
    if (operation->gate == PTL_INVALID_HANDLE)
        return operation->ready.ct == schedule->begin && !operation->is_first;
    for (size_t i = 0; i < operation->earlier_count; i++)
        if (schedule->operations[operation->earlier[i]].done.ct == schedule->begin)
            return true;
    return weft_schedule_needs_start(operation);
}

/* What a call has to do at the start, and what it has to look for when all is posted. */
static void find_calls(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    bool is_receive = operation->kind == WEFT_SCHEDULE_RECEIVE;
    operation->is_first = operation->ready.ct == schedule->begin && !is_receive &&
                          operation->own != PTL_INVALID_HANDLE;
    if (counts_start(schedule, operation))
        schedule->is_start_counted = true;
    if (is_receive && !operation->stream && is_short(schedule, operation) &&
        weft_schedule_length(operation))
        schedule->may_be_early = true;
}

int weft_schedule_prepare(struct weft_schedule *schedule)
{
    int error = weft_schedule_streams_delay(schedule);
    if (error)
        return error;
    schedule->is_prepared = true;
    find_implied(schedule);
    find_steady(schedule);
    int result = PtlCTAlloc(schedule->engine->ni, &schedule->begin);
    for (size_t i = 0; result == PTL_OK && i < schedule->count; i++) {
        struct weft_schedule_operation *operation = &schedule->operations[i];
        result = prepare_ready(schedule, operation);
        if (result == PTL_OK)
            result = prepare_kind(schedule, operation);
        find_calls(schedule, operation);
        schedule->to_finish += weft_schedule_ends_with(operation);
    }
    return weft_client_error(result);
}
