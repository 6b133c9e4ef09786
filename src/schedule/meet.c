/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who sends to a process that has no engine yet loses its message. So each process asks those that
 * are 1, 2, 4, ... ahead until they answer, and only then takes part in a barrier, whose messages
 * go to these alone.
 */
#include "schedule/engine.h"
#include "schedule/schedule.h"

#define RETRY 1u /* milliseconds */

static const struct weft_schedule_memory nothing = {.length = 0};

static uint32_t ahead(const weft_engine *engine, uint64_t step)
{
    return (uint32_t)((engine->rank + step) % engine->size);
}

static uint32_t behind(const weft_engine *engine, uint64_t step)
{
    return (uint32_t)((engine->rank + engine->size - step) % engine->size);
}

/* ---- Asking ------------------------------------------------------------------------------- */

struct inquiry {
    ptl_handle_ct_t ct, never;
    ptl_handle_md_t md;
    unsigned left; /* milliseconds */
};

static void pause_for(struct inquiry *inquiry)
{
    ptl_size_t one = 1;
    ptl_ct_event_t value;
    unsigned which;
    PtlCTPoll(&inquiry->never, &one, 1, RETRY, &value, &which);
    if (inquiry->left != PTL_TIME_FOREVER)
        inquiry->left -= RETRY;
}

static int ask(struct inquiry *inquiry, uint32_t rank)
{
    ptl_ct_event_t before, after;
    int result = PtlCTGet(inquiry->ct, &before);
    after = before;
    while (result == PTL_OK && after.success == before.success) {
        if (inquiry->left < RETRY)
            return WEFT_ERR_TIMEOUT;
        result = PtlPut(inquiry->md, 0, 0, PTL_CT_ACK_REQ, weft_schedule_process(rank),
                        WEFT_SCHEDULE_LOCAL, WEFT_SCHEDULE_ECHO, 0, NULL, 0);
        if (result == PTL_OK)
            result = PtlCTWait(inquiry->ct, after.success + after.failure + 1, &after);
        if (result == PTL_OK && after.success == before.success)
            pause_for(inquiry);
    }
    return weft_client_error(result);
}

static int ask_partners(weft_engine *engine, unsigned *left)
{
    struct inquiry inquiry = {.ct = PTL_INVALID_HANDLE,
                              .never = PTL_INVALID_HANDLE,
                              .md = PTL_INVALID_HANDLE,
                              .left = *left};
    int error = weft_client_error(PtlCTAlloc(engine->ni, &inquiry.ct));
    if (!error)
        error = weft_client_error(PtlCTAlloc(engine->ni, &inquiry.never));
    ptl_md_t md = {
        .options = PTL_MD_EVENT_CT_ACK, .eq_handle = PTL_EQ_NONE, .ct_handle = inquiry.ct};
    if (!error)
        error = weft_client_error(PtlMDBind(engine->ni, &md, &inquiry.md));
    for (uint64_t step = 1; !error && step < engine->size; step *= 2)
        error = ask(&inquiry, ahead(engine, step));
    PtlMDRelease(inquiry.md);
    PtlCTFree(inquiry.never);
    PtlCTFree(inquiry.ct);
    *left = inquiry.left;
    return error;
}

/* ---- Meeting ------------------------------------------------------------------------------ */

/* What one round of a barrier adds: returns what the next one waits for, or an error. */
static int add_round(weft_schedule *schedule, uint64_t step, int heard)
{
    const weft_engine *engine = schedule->engine;
    int sent = weft_schedule_send(schedule, &nothing, ahead(engine, step), 0);
    int come = weft_schedule_receive(schedule, &nothing, behind(engine, step), 0);
    int next = weft_schedule_nop(schedule);
    if (sent < 0 || come < 0 || next < 0)
        return WEFT_ERR_MEMORY;
    int error = weft_schedule_after(schedule, sent, heard);
    if (!error)
        error = weft_schedule_after(schedule, next, heard);
    if (!error)
        error = weft_schedule_after(schedule, next, come);
    return error ? error : next;
}

static int meet(weft_engine *engine, int milliseconds)
{
    weft_schedule *schedule;
    int error = weft_schedule_create(engine, WEFT_SCHEDULE_NUMBERS - 1, &schedule);
    if (error)
        return error;
    int heard = weft_schedule_nop(schedule);
    for (uint64_t step = 1; heard >= 0 && step < engine->size; step *= 2)
        heard = add_round(schedule, step, heard);
    error = heard < 0 ? heard : weft_schedule_post(schedule);
    if (!error)
        error = weft_schedule_start(schedule);
    if (!error)
        error = weft_schedule_wait(schedule, milliseconds);
    weft_schedule_free(schedule);
    return error;
}

int weft_engine_meet(weft_engine *engine, int milliseconds)
{
    unsigned left = milliseconds < 0 ? PTL_TIME_FOREVER : (unsigned)milliseconds;
    if (!engine)
        return WEFT_ERR_ARGUMENT;
    if (engine->ni == PTL_INVALID_HANDLE)
        return WEFT_ERR_NETWORK;
    int error = ask_partners(engine, &left);
    return error ? error : meet(engine, milliseconds < 0 ? milliseconds : (int)left);
}
