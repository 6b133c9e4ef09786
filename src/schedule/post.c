/* SPDX-License-Identifier: BSD-3-Clause */
/* One execution: counters begin anew, and everything that waits is told what for. */
#include "schedule/engine.h"
#include "schedule/loan.h"
#include "schedule/schedule.h"
#include "schedule/stream.h"
#include "schedule/trace.h"

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

/* What an operation of another schedule waits for. The start of that one is counted from now on,
 * if it has not been. */
static struct weft_schedule_mark to_follow(struct weft_schedule *other,
                                           struct weft_schedule_mark mark)
{
    if (mark.ct != other->begin)
        return weft_schedule_now(other, mark);
    other->is_start_counted = true;
    return other->is_started ? (struct weft_schedule_mark){PTL_CT_NONE, 0}
                             : weft_schedule_now(other, mark);
}

/* The end of a schedule has a counter only if another waits for it. */
static int count_finish(struct weft_schedule *schedule)
{
    int result = PTL_OK;
    if (schedule->is_finish_counted)
        return result;
    if (schedule->finish == PTL_INVALID_HANDLE)
        result = PtlCTAlloc(schedule->engine->ni, &schedule->finish);
    set(schedule->finish, 0);
    for (size_t i = 0; result == PTL_OK && i < schedule->count; i++) {
        const struct weft_schedule_operation *operation = &schedule->operations[i];
        if (weft_schedule_ends_with(operation))
            result = count_when(to_follow(schedule, operation->done), schedule->finish);
    }
    schedule->is_finish_counted = true;
    return result;
}

/* What was never posted has nothing left to do. */
static int count_followed(const struct weft_schedule_operation *operation)
{
    struct weft_schedule *other = operation->followed;
    const struct weft_schedule_operation *earlier =
        weft_schedule_find(other, operation->followed_operation);
    if (other->phase == WEFT_SCHEDULE_PHASE_BUILDING)
        return PtlCTInc(operation->gate, one);
    if (earlier)
        return count_when(to_follow(other, earlier->done), operation->gate);
    int result = count_finish(other);
    struct weft_schedule_mark end = {other->finish, other->to_finish};
    return result == PTL_OK ? count_when(end, operation->gate) : result;
}

static int arm_gate(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    int result = PTL_OK;
    for (size_t i = 0; result == PTL_OK && i < operation->earlier_count; i++) {
        struct weft_schedule_mark done = schedule->operations[operation->earlier[i]].done;
        result = count_when(weft_schedule_now(schedule, done), operation->gate);
    }
    struct weft_schedule_mark start = {schedule->begin, 1};
    if (result == PTL_OK && weft_schedule_needs_start(operation))
        result = count_when(weft_schedule_now(schedule, start), operation->gate);
    if (result == PTL_OK && operation->followed)
        result = count_followed(operation);
    if (result == PTL_OK && operation->may_be_held)
        result = count_when(weft_schedule_now(schedule, operation->ready), operation->started);
    return result;
}

/* ---- Operations --------------------------------------------------------------------------- */

/* Of a descriptor. */
struct put_range {
    size_t offset, length;
};

static int put_when(struct weft_schedule_mark when, struct weft_schedule_operation *operation,
                    struct put_range range, ptl_ack_req_t ack, uint32_t rank, ptl_pt_index_t table,
                    ptl_match_bits_t bits)
{
    ptl_process_t process = weft_schedule_process(rank);
    if (when.ct == PTL_CT_NONE)
        return PtlPut(operation->md, range.offset, range.length, ack, process, table, bits, 0,
                      operation, 0);
    return PtlTriggeredPut(operation->md, range.offset, range.length, ack, process, table, bits, 0,
                           operation, 0, when.ct, when.threshold);
}

/* From the descriptor of an operation to where that writes. */
static int copy_when(struct weft_schedule_mark when, const struct weft_schedule *schedule,
                     struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    if (length == 0)
        return PTL_OK;
    return put_when(when, operation, (struct put_range){0, length}, PTL_NO_ACK_REQ,
                    schedule->engine->rank, WEFT_SCHEDULE_LOCAL,
                    weft_schedule_local_bits(schedule, operation));
}

/* Nobody need know that a message without data was taken. */
static int arm_send(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                    struct weft_schedule_mark when)
{
    size_t length = weft_schedule_length(operation), offset = 0;
    int result = weft_schedule_loan_return(schedule, operation);
    if (result != PTL_OK)
        return result;
    if (operation->is_copied) {
        offset = schedule->execution % 2 * length;
        weft_schedule_layout_read(&operation->memory, operation->stash + offset);
    }
    return put_when(when, operation,
                    (struct put_range){offset, length <= schedule->engine->eager ? length : 0},
                    length ? PTL_ACK_REQ : PTL_NO_ACK_REQ, operation->peer, WEFT_SCHEDULE_MESSAGES,
                    weft_schedule_bits(schedule, operation, schedule->execution));
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

/* When both the message and the time for it have come. Bytes are counted where a get may bring
 * them, so that one that fails, which counts as one, does not stand for the message. */
static struct weft_schedule_mark both(const struct weft_schedule *schedule,
                                      const struct weft_schedule_operation *operation)
{
    ptl_size_t message = operation->stash ? weft_schedule_length(operation) : 1;
    return weft_schedule_now(schedule,
                             (struct weft_schedule_mark){operation->meeting, message + 1});
}

static int arm_stashed(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                       struct weft_schedule_mark when)
{
    size_t length = weft_schedule_length(operation);
    int result = count_when(when, operation->meeting);
    if (result == PTL_OK)
        result = copy_when(both(schedule, operation), schedule, operation);
    if (result != PTL_OK)
        return result;
    ptl_me_t me = {.start = operation->stash,
                   .length = length,
                   .ct_handle = operation->meeting,
                   .options = PTL_ME_EVENT_CT_BYTES};
    return append(schedule, operation, me);
}

static int arm_pull(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                    struct weft_schedule_mark when)
{
    size_t length = weft_schedule_length(operation);
    struct weft_schedule_mark then = both(schedule, operation);
    int result = count_when(when, operation->meeting);
    if (result == PTL_OK && length)
        result = PtlTriggeredGet(operation->md, 0, length, weft_schedule_process(operation->peer),
                                 WEFT_SCHEDULE_PULLS, weft_schedule_pull_bits(schedule, operation),
                                 0, operation, then.ct, then.threshold);
    if (result == PTL_OK)
        result = append_signal(schedule, operation, operation->meeting);
    return result;
}

static int arm_receive(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                       struct weft_schedule_mark when)
{
    if (weft_schedule_is_direct(schedule, operation))
        return arm_direct(schedule, operation);
    return operation->stash ? arm_stashed(schedule, operation, when)
                            : arm_pull(schedule, operation, when);
}

static int atomic_when(struct weft_schedule_mark when, const struct weft_schedule *schedule,
                       struct weft_schedule_operation *operation, size_t offset, size_t length)
{
    ptl_process_t self = weft_schedule_process(schedule->engine->rank);
    ptl_match_bits_t bits = weft_schedule_local_bits(schedule, operation);
    if (when.ct == PTL_CT_NONE)
        return PtlAtomic(operation->md, offset, length, PTL_NO_ACK_REQ, self, WEFT_SCHEDULE_LOCAL,
                         bits, offset, operation, 0, operation->operation, operation->datatype);
    return PtlTriggeredAtomic(operation->md, offset, length, PTL_NO_ACK_REQ, self,
                              WEFT_SCHEDULE_LOCAL, bits, offset, operation, 0,
                              operation->operation, operation->datatype, when.ct, when.threshold);
}

static int arm_compute(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                       struct weft_schedule_mark when)
{
    size_t piece, pieces = weft_schedule_pieces(schedule, operation, &piece);
    size_t left = weft_schedule_length(operation);
    int result = PTL_OK;
    for (size_t i = 0; result == PTL_OK && i < pieces; i++, left -= piece)
        result = atomic_when(when, schedule, operation, i * piece, left < piece ? left : piece);
    return result;
}

/* The entry of its receive is there, and handlers send on what comes. */
static int arm_streamed(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                        struct weft_schedule_mark when)
{
    const struct put_range all = {0, weft_schedule_length(operation)};
    if (operation->kind == WEFT_SCHEDULE_RECEIVE ||
        weft_schedule_stream_receive(schedule, operation))
        return PTL_OK;
    return put_when(when, operation, all, PTL_ACK_REQ, operation->peer, WEFT_SCHEDULE_STREAMS,
                    weft_schedule_stream_bits(schedule, operation));
}

static int arm_kind(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                    struct weft_schedule_mark when)
{
    if (operation->stream)
        return arm_streamed(schedule, operation, when);
    switch (operation->kind) {
    case WEFT_SCHEDULE_SEND:
        return arm_send(schedule, operation, when);
    case WEFT_SCHEDULE_RECEIVE:
        return arm_receive(schedule, operation, when);
    case WEFT_SCHEDULE_COMPUTE:
        return weft_schedule_handler(schedule, operation) ? copy_when(when, schedule, operation)
                                                          : arm_compute(schedule, operation, when);
    case WEFT_SCHEDULE_COPY:
        return copy_when(when, schedule, operation);
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
    if (result == PTL_OK && !operation->is_first)
        result = arm_kind(schedule, operation, weft_schedule_now(schedule, operation->ready));
    return result;
}

int weft_schedule_launch(struct weft_schedule *schedule)
{
    const struct weft_schedule_mark at_once = {PTL_CT_NONE, 0};
    int result = PTL_OK;
    for (size_t i = 0; result == PTL_OK && i < schedule->count; i++)
        if (schedule->operations[i].is_first)
            result = arm_kind(schedule, &schedule->operations[i], at_once);
    if (result == PTL_OK && schedule->is_start_counted)
        result = PtlCTSet(schedule->begin, (ptl_ct_event_t){schedule->rounds, 0});
    return result;
}

/* ---- Posting ------------------------------------------------------------------------------ */

static int post(struct weft_schedule *schedule)
{
    int result = PTL_OK,
        execution = weft_schedule_next_execution(schedule->engine, schedule->number);
    if (execution < 0)
        return WEFT_ERR_MEMORY;
    schedule->execution = (uint16_t)execution;
    schedule->rounds = schedule->is_steady ? schedule->rounds + 1 : 1;
    schedule->complete = 0;
    schedule->is_started = schedule->is_finish_counted = false;
    if (!schedule->is_steady)
        reset(schedule);
    weft_schedule_trace_post(schedule);
    for (size_t i = 0; result == PTL_OK && i < schedule->count; i++)
        result = arm(schedule, &schedule->operations[i]);
    return weft_client_error(result);
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
    if (error || (schedule->may_be_early && weft_schedule_has_event(schedule->engine)))
        weft_schedule_advance(schedule->engine);
    return error;
}
