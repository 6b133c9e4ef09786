/* SPDX-License-Identifier: BSD-3-Clause */
/* One execution: counters begin anew, and everything that waits is told what for. */
#include "schedule/engine.h"
#include "schedule/schedule.h"

static const ptl_ct_event_t one = {1, 0};

/* ---- Counters ----------------------------------------------------------------------------- */

static void set(ptl_handle_ct_t ct, ptl_size_t value)
{
    if (ct != PTL_INVALID_HANDLE)
        PtlCTSet(ct, (ptl_ct_event_t){value, 0});
}

static void reset(struct weft_schedule *schedule)
{
    set(schedule->begin, 0);
    set(schedule->finish, 0);
    for (size_t i = 0; i < schedule->count; i++) {
        struct weft_schedule_operation *operation = &schedule->operations[i];
        set(operation->gate, operation->is_held ? 0 : operation->token);
        set(operation->started, 0);
        set(operation->meeting, 0);
        set(operation->own, 0);
    }
}

static int count_when(struct weft_schedule_mark when, ptl_handle_ct_t ct)
{
    if (when.ct == PTL_CT_NONE)
        return PtlCTInc(ct, one);
    return PtlTriggeredCTInc(ct, one, when.ct, when.threshold);
}

/* ---- Gates -------------------------------------------------------------------------------- */

/* What was never posted has nothing left to do. */
static struct weft_schedule_mark followed_mark(const struct weft_schedule_operation *operation)
{
    const struct weft_schedule *other = operation->followed;
    const struct weft_schedule_operation *earlier =
        weft_schedule_find(other, operation->followed_operation);
    if (other->phase == WEFT_SCHEDULE_PHASE_BUILDING)
        return (struct weft_schedule_mark){PTL_CT_NONE, 0};
    return earlier ? earlier->done : (struct weft_schedule_mark){other->finish, other->to_finish};
}

static int arm_gate(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    int result = PTL_OK;
    for (size_t i = 0; result == PTL_OK && i < operation->earlier_count; i++)
        result = count_when(schedule->operations[operation->earlier[i]].done, operation->gate);
    if (weft_schedule_needs_start(operation))
        result = count_when((struct weft_schedule_mark){schedule->begin, 1}, operation->gate);
    if (result == PTL_OK && operation->followed)
        result = count_when(followed_mark(operation), operation->gate);
    if (result == PTL_OK && operation->may_be_held)
        result = count_when(operation->ready, operation->started);
    return result;
}

/* ---- Operations --------------------------------------------------------------------------- */

static int arm_send(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    return PtlTriggeredPut(operation->md, 0, length <= schedule->engine->eager ? length : 0,
                           PTL_ACK_REQ, weft_schedule_process(operation->peer),
                           WEFT_SCHEDULE_MESSAGES,
                           weft_schedule_bits(schedule, operation, schedule->execution), 0,
                           operation, 0, operation->ready.ct, operation->ready.threshold);
}

static int append(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                  ptl_me_t me)
{
    me.uid = PTL_UID_ANY;
    me.match_id = weft_schedule_process(operation->peer);
    me.match_bits = weft_schedule_bits(schedule, operation, schedule->execution);
    me.options |= PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_CT_COMM |
                  PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_LINK_DISABLE |
                  PTL_ME_EVENT_UNLINK_DISABLE;
    return PtlMEAppend(schedule->engine->ni, WEFT_SCHEDULE_MESSAGES, &me, PTL_PRIORITY_LIST,
                       operation, &operation->entry);
}

/* Without bytes there is nothing to be got: it counts whether it was expected or not. */
static int append_signal(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                         ptl_handle_ct_t ct)
{
    ptl_me_t me = {.ct_handle = ct,
                   .options = PTL_ME_EVENT_CT_OVERFLOW | PTL_ME_EVENT_OVER_DISABLE};
    return append(schedule, operation, me);
}

static int arm_direct(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    if (weft_schedule_length(operation) == 0)
        return append_signal(schedule, operation, operation->own);
    struct weft_schedule_layout_view view;
    weft_schedule_layout_show(&operation->memory, &view);
    ptl_me_t me = {.start = view.start,
                   .length = view.length,
                   .ct_handle = operation->own,
                   .options = view.options | PTL_ME_EVENT_CT_BYTES};
    return append(schedule, operation, me);
}

static int arm_pull(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    int result = count_when(operation->ready, operation->meeting);
    if (result == PTL_OK && length)
        result = PtlTriggeredGet(operation->md, 0, length, weft_schedule_process(operation->peer),
                                 WEFT_SCHEDULE_PULLS, weft_schedule_bits(schedule, operation, 0),
                                 0, operation, operation->meeting, 2);
    if (result == PTL_OK)
        result = append_signal(schedule, operation, operation->meeting);
    return result;
}

static int arm_local(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    size_t piece, pieces = weft_schedule_pieces(schedule, operation, &piece);
    size_t left = weft_schedule_length(operation);
    ptl_process_t self = weft_schedule_process(schedule->engine->rank);
    ptl_match_bits_t bits = weft_schedule_local_bits(schedule, operation);
    struct weft_schedule_mark when = operation->ready;
    int result = PTL_OK;
    for (size_t i = 0; result == PTL_OK && i < pieces; i++, left -= piece) {
        size_t length = left < piece ? left : piece;
        if (operation->kind == WEFT_SCHEDULE_COPY)
            result =
                PtlTriggeredPut(operation->md, 0, length, PTL_ACK_REQ, self, WEFT_SCHEDULE_LOCAL,
                                bits, 0, operation, 0, when.ct, when.threshold);
        else
            result = PtlTriggeredAtomic(operation->md, i * piece, length, PTL_ACK_REQ, self,
                                        WEFT_SCHEDULE_LOCAL, bits, i * piece, operation, 0,
                                        operation->operation, operation->datatype, when.ct,
                                        when.threshold);
    }
    return result;
}

static int arm_kind(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    switch (operation->kind) {
    case WEFT_SCHEDULE_SEND:
        return arm_send(schedule, operation);
    case WEFT_SCHEDULE_RECEIVE:
        return weft_schedule_is_direct(schedule, operation) ? arm_direct(schedule, operation)
                                                            : arm_pull(schedule, operation);
    case WEFT_SCHEDULE_COMPUTE:
    case WEFT_SCHEDULE_COPY:
        return arm_local(schedule, operation);
    case WEFT_SCHEDULE_NOP:
        break;
    }
    return PTL_OK;
}

static int arm(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    int result = PTL_OK;
    if (operation->gate != PTL_INVALID_HANDLE)
        result = arm_gate(schedule, operation);
    if (result == PTL_OK)
        result = arm_kind(schedule, operation);
    if (result == PTL_OK && !operation->is_implied && !operation->is_optional)
        result = count_when(operation->done, schedule->finish);
    return result;
}

/* ---- Posting ------------------------------------------------------------------------------ */

static int post(struct weft_schedule *schedule)
{
    int result = PTL_OK;
    schedule->execution = ++schedule->engine->executions[schedule->number];
    reset(schedule);
    for (size_t i = 0; result == PTL_OK && i < schedule->count; i++)
        result = arm(schedule, &schedule->operations[i]);
    return weft_schedule_error(result);
}

int weft_schedule_post(weft_schedule *schedule)
{
    if (!schedule || schedule->phase == WEFT_SCHEDULE_PHASE_RUNNING ||
        schedule->phase == WEFT_SCHEDULE_PHASE_FAILED)
        return WEFT_ERR_ARGUMENT;
    if (schedule->engine->ni == PTL_INVALID_HANDLE)
        return WEFT_ERR_NETWORK;
    int error = schedule->is_prepared ? WEFT_OK : weft_schedule_prepare(schedule);
    if (!error)
        error = post(schedule);
    schedule->phase = error ? WEFT_SCHEDULE_PHASE_FAILED : WEFT_SCHEDULE_PHASE_RUNNING;
    schedule->error = error;
    weft_schedule_advance(schedule->engine);
    return error;
}
