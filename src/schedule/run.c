/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "schedule/bed.h"
#include "schedule/death.h"
#include "schedule/engine.h"
#include "schedule/loan.h"
#include "schedule/schedule.h"
#include "schedule/trace.h"

static bool is_running(const struct weft_schedule *schedule)
{
    return schedule && schedule->phase == WEFT_SCHEDULE_PHASE_RUNNING;
}

int weft_schedule_start(weft_schedule *schedule)
{
    if (!is_running(schedule))
        return WEFT_ERR_ARGUMENT;
    if (schedule->is_started)
        return WEFT_OK;
    schedule->is_started = true;
    weft_schedule_trace_start(schedule);
    int error = weft_client_error(weft_schedule_launch(schedule));
    if (error)
        schedule->error = error;
    return error;
}

/* ---- Holding ------------------------------------------------------------------------------ */

/* Nothing can open the gate once the token is out; `started` says whether it was open before. */
static int hold_running(struct weft_schedule_operation *operation)
{
    ptl_ct_event_t started;
    int result = PtlCTInc(operation->gate, (ptl_ct_event_t){0 - operation->token, 0});
    if (result == PTL_OK)
        result = PtlCTGet(operation->started, &started);
    if (result != PTL_OK)
        return weft_client_error(result);
    if (started.success == 0) {
        operation->is_held = true;
        return WEFT_OK;
    }
    PtlCTInc(operation->gate, (ptl_ct_event_t){operation->token, 0});
    return WEFT_ERR_BUSY;
}

int weft_schedule_hold(weft_schedule *schedule, int number)
{
    struct weft_schedule_operation *operation = weft_schedule_find(schedule, number);
    if (!operation || operation->stream || (schedule->is_prepared && !operation->may_be_held))
        return WEFT_ERR_ARGUMENT;
    if (operation->is_held)
        return WEFT_OK;
    if (is_running(schedule))
        return hold_running(operation);
    operation->may_be_held = operation->is_held = true;
    return WEFT_OK;
}

int weft_schedule_release(weft_schedule *schedule, int number)
{
    struct weft_schedule_operation *operation = weft_schedule_find(schedule, number);
    if (!operation || !operation->is_held)
        return WEFT_ERR_ARGUMENT;
    operation->is_held = false;
    if (!is_running(schedule))
        return WEFT_OK;
    return weft_client_error(PtlCTInc(operation->gate, (ptl_ct_event_t){operation->token, 0}));
}

/* ---- Events ------------------------------------------------------------------------------- */

/* The message was there before its receive: in the bed or, if that was full, with its sender. */
static int take_early(struct weft_schedule_operation *operation, const ptl_event_t *event)
{
    struct weft_schedule *schedule = operation->schedule;
    size_t length = weft_schedule_length(operation);
    if (event->mlength < length) {
        schedule->has_failure = true; /* perhaps */
        return PtlGet(operation->md, 0, length, event->initiator, WEFT_SCHEDULE_PULLS,
                      weft_schedule_pull_bits(schedule, operation), 0, operation);
    }
    if (!operation->stash) {
        weft_schedule_layout_write(&operation->memory, event->start);
        return PtlCTInc(operation->own, (ptl_ct_event_t){length, 0});
    }
    memcpy(operation->stash, event->start, length);
    return PtlCTInc(operation->meeting, (ptl_ct_event_t){length, 0});
}

/* A receive may have counted it, but has no data. What has no operation is a question whether
 * somebody lives, or an alarm. */
static void take_failure(weft_engine *engine, const ptl_event_t *event)
{
    const struct weft_schedule_operation *operation = event->user_ptr;
    bool is_dead = event->ni_fail_type == PTL_NI_UNDELIVERABLE;
    if (is_dead)
        weft_schedule_death_of(engine, event->initiator.rank);
    if (!operation)
        return;
    if (!is_dead)
        operation->schedule->error = WEFT_ERR_REGION;
    else if (event->type == PTL_EVENT_REPLY && is_running(operation->schedule))
        operation->schedule->error = WEFT_ERR_PEER;
}

static void take(weft_engine *engine, const ptl_event_t *event)
{
    struct weft_schedule_operation *operation = event->user_ptr;
    if (event->type == PTL_EVENT_AUTO_UNLINK || event->type == PTL_EVENT_AUTO_FREE)
        weft_schedule_bed_heard(engine, event);
    else if (event->ni_fail_type != PTL_NI_OK)
        take_failure(engine, event);
    else if (event->type == PTL_EVENT_PUT)
        weft_schedule_death_heard(engine, (uint16_t)event->hdr_data);
    else if (event->type == PTL_EVENT_PUT_OVERFLOW && take_early(operation, event) != PTL_OK)
        operation->schedule->error = WEFT_ERR_MEMORY;
}

void weft_schedule_advance(weft_engine *engine)
{
    ptl_event_t event;
    int result;
    while ((result = PtlEQGet(engine->eq, &event)) == PTL_OK || result == PTL_EQ_DROPPED)
        take(engine, &event);
}

/* ---- Marks -------------------------------------------------------------------------------- */

bool weft_schedule_has_happened(struct weft_schedule_mark mark)
{
    ptl_ct_event_t value;
    return mark.ct == PTL_CT_NONE || (PtlCTGet(mark.ct, &value) == PTL_OK &&
                                      value.success + value.failure >= mark.threshold);
}

/* The start is counted only if that is needed. */
static bool is_at(const struct weft_schedule *schedule, struct weft_schedule_mark mark)
{
    return mark.ct == schedule->begin
               ? schedule->is_started
               : weft_schedule_has_happened(weft_schedule_now(schedule, mark));
}

int weft_schedule_state(weft_schedule *schedule, int number)
{
    struct weft_schedule_operation *operation = weft_schedule_find(schedule, number);
    if (!operation)
        return WEFT_ERR_ARGUMENT;
    if (schedule->phase == WEFT_SCHEDULE_PHASE_BUILDING)
        return WEFT_SCHEDULE_CREATED;
    if (is_at(schedule, operation->done))
        return WEFT_SCHEDULE_COMPLETE;
    return is_at(schedule, operation->ready) ? WEFT_SCHEDULE_ACTIVE : WEFT_SCHEDULE_POSTED;
}

/* ---- Waiting ------------------------------------------------------------------------------ */

static int end(struct weft_schedule *schedule, int error)
{
    schedule->phase = error ? WEFT_SCHEDULE_PHASE_FAILED : WEFT_SCHEDULE_PHASE_OVER;
    schedule->error = error;
    if (error)
        weft_schedule_death_tell(schedule);
    else if (schedule->has_optional)
        weft_schedule_tidy(schedule);
    return error;
}

static int poll_mark(struct weft_schedule *schedule, struct weft_schedule_mark mark,
                     unsigned milliseconds)
{
    ptl_ct_event_t value;
    unsigned which;
    if (mark.threshold == 0 || (mark.ct == schedule->begin && schedule->is_started))
        return PTL_OK;
    int result = PtlCTPoll(&mark.ct, &mark.threshold, 1, milliseconds, &value, &which);
    schedule->has_failure |= result == PTL_OK && value.failure;
    return result;
}

static int poll_operation(struct weft_schedule *schedule,
                          const struct weft_schedule_operation *operation, unsigned milliseconds)
{
    int result = poll_mark(schedule, weft_schedule_end_of(schedule, operation), milliseconds);
    if (result == PTL_OK && operation->lent)
        result = poll_mark(schedule, weft_schedule_loan_before(schedule, operation), milliseconds);
    return result;
}

/* PTL_OK if all operations are complete; waits so long for the first that is not. */
static int poll_operations(struct weft_schedule *schedule, unsigned milliseconds)
{
    int result = PTL_OK;
    while (schedule->complete < schedule->count) {
        const struct weft_schedule_operation *operation =
            &schedule->operations[schedule->complete];
        if (weft_schedule_ends_with(operation))
            result = poll_operation(schedule, operation, milliseconds);
        if (result != PTL_OK)
            break;
        schedule->complete++;
    }
    return result;
}

/* WEFT_ERR_TIMEOUT while it goes on. What has failed has an event, which is not looked for if all
 * is well. */
static int look(struct weft_schedule *schedule, unsigned milliseconds)
{
    int result = poll_operations(schedule, milliseconds);
    if (result != PTL_OK || schedule->has_failure)
        weft_schedule_advance(schedule->engine);
    if (schedule->error)
        return end(schedule, schedule->error);
    if (result == PTL_OK)
        return end(schedule, WEFT_OK);
    if (result != PTL_CT_NONE_REACHED)
        return end(schedule, weft_client_error(result));
    return weft_schedule_death_met(schedule) ? end(schedule, WEFT_ERR_PEER) : WEFT_ERR_TIMEOUT;
}

static int result_of(const struct weft_schedule *schedule)
{
    if (!schedule || schedule->phase == WEFT_SCHEDULE_PHASE_BUILDING)
        return WEFT_ERR_ARGUMENT;
    return schedule->error;
}

int weft_schedule_test(weft_schedule *schedule)
{
    return is_running(schedule) ? look(schedule, 0) : result_of(schedule);
}

/* What comes late is got as soon as somebody looks: at first often, then less. Not at once: most
 * waits end before an event could be looked for. */
int weft_schedule_wait(weft_schedule *schedule, int milliseconds)
{
    unsigned slice = 1;
    unsigned left = milliseconds < 0 ? PTL_TIME_FOREVER : (unsigned)milliseconds;
    while (is_running(schedule)) {
        unsigned now = slice < left ? slice : left;
        if (look(schedule, now) != WEFT_ERR_TIMEOUT)
            break;
        if (left == 0)
            return WEFT_ERR_TIMEOUT;
        left -= milliseconds < 0 ? 0 : now;
        if (now >= WEFT_SCHEDULE_PATIENCE)
            weft_schedule_loan_make(schedule);
        if (slice >= WEFT_SCHEDULE_SILENCE)
            weft_schedule_death_ask(schedule);
        slice = slice < WEFT_SCHEDULE_SILENCE ? 2 * slice + 1 : WEFT_SCHEDULE_SILENCE;
    }
    return result_of(schedule);
}
