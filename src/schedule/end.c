/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "schedule/death.h"
#include "schedule/engine.h"
#include "schedule/loan.h"
#include "schedule/schedule.h"

/* Milliseconds that the NIC gets to let go of what it holds. */
#define LAST_WORDS 2000u
/* Executions back of which messages may still have come that nobody waited for. */
#define STRAYS 4u

static void cancel(const struct weft_schedule_operation *operation)
{
    PtlCTCancelTriggered(operation->gate);
    PtlCTCancelTriggered(operation->started);
    PtlCTCancelTriggered(operation->meeting);
    PtlCTCancelTriggered(operation->own);
}

static void forget_strays(const struct weft_schedule *schedule, uint16_t execution)
{
    const struct weft_schedule_operation any = {.tag = 0};
    ptl_me_t strays = {.ct_handle = PTL_CT_NONE,
                       .uid = PTL_UID_ANY,
                       .options = PTL_ME_OP_PUT | PTL_ME_EVENT_OVER_DISABLE,
                       .match_id = weft_schedule_process(PTL_RANK_ANY),
                       .match_bits = weft_schedule_bits(schedule, &any, execution),
                       .ignore_bits = UINT32_MAX};
    PtlMESearch(schedule->engine->ni, WEFT_SCHEDULE_MESSAGES, &strays, PTL_SEARCH_DELETE, NULL);
}

void weft_schedule_tidy(struct weft_schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        struct weft_schedule_operation *operation = &schedule->operations[i];
        if (operation->is_optional)
            PtlMEUnlink(operation->entry);
        cancel(operation);
    }
    PtlCTCancelTriggered(schedule->begin);
    for (unsigned i = 0; i < STRAYS; i++)
        forget_strays(schedule, (uint16_t)(schedule->execution - i));
}

/* ---- The end ------------------------------------------------------------------------------ */

static bool unlink_entry(ptl_handle_me_t *entry)
{
    if (PtlMEUnlink(*entry) == PTL_IN_USE)
        return false;
    *entry = PTL_INVALID_HANDLE;
    return true;
}

static bool release(ptl_handle_md_t *md)
{
    if (PtlMDRelease(*md) == PTL_IN_USE)
        return false;
    *md = PTL_INVALID_HANDLE;
    return true;
}

static bool let_go(struct weft_schedule *schedule)
{
    bool is_free = true;
    for (size_t i = 0; i < schedule->count; i++) {
        struct weft_schedule_operation *operation = &schedule->operations[i];
        is_free = unlink_entry(&operation->entry) && is_free;
        is_free = unlink_entry(&operation->lasting[0]) && is_free;
        is_free = unlink_entry(&operation->lasting[1]) && is_free;
        is_free = release(&operation->md) && is_free;
    }
    return is_free;
}

static void free_parts(struct weft_schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++)
        for (unsigned parity = 0; parity < 2; parity++)
            if (schedule->operations[i].loan[parity])
                schedule->engine->lent -= weft_schedule_length(&schedule->operations[i]);
    for (size_t i = 0; i < schedule->count; i++) {
        PtlCTFree(schedule->operations[i].gate);
        PtlCTFree(schedule->operations[i].started);
        PtlCTFree(schedule->operations[i].meeting);
        PtlCTFree(schedule->operations[i].own);
        PtlCTFree(schedule->operations[i].taken);
        if (schedule->operations[i].hpu != PTL_HPU_NONE)
            PtlHPUFreeMem(&schedule->operations[i].hpu);
    }
    PtlCTFree(schedule->begin);
    PtlCTFree(schedule->finish);
}

static void pause_for(struct weft_schedule *schedule, unsigned milliseconds)
{
    ptl_size_t never = PTL_SIZE_MAX;
    ptl_ct_event_t value;
    unsigned which;
    PtlCTPoll(&schedule->begin, &never, 1, milliseconds, &value, &which);
}

/* Nobody will ask for it any more. */
static bool is_taken(const struct weft_schedule *schedule,
                     const struct weft_schedule_operation *operation)
{
    const weft_engine *engine = schedule->engine;
    struct weft_schedule_mark all = {operation->own, weft_schedule_length(operation)};
    bool is_got =
        !operation->is_copied || weft_schedule_has_happened(weft_schedule_now(schedule, all));
    return (is_got && weft_schedule_has_happened(weft_schedule_loan_all(operation))) ||
           (engine->is_dead && engine->is_dead[operation->peer]) ||
           (engine->is_broken && engine->is_broken[schedule->number]);
}

/* Copies of what was sent last may still be wanted, however late. */
static void wait_for_takers(struct weft_schedule *schedule)
{
    unsigned tries = 0;
    for (size_t i = 0; i < schedule->count;) {
        const struct weft_schedule_operation *operation = &schedule->operations[i];
        if (is_taken(schedule, operation)) {
            i++;
            continue;
        }
        if (++tries % WEFT_SCHEDULE_SILENCE == 0)
            weft_schedule_death_ping(schedule->engine, operation->peer);
        pause_for(schedule, 1);
        weft_schedule_advance(schedule->engine);
    }
}

/* Events of the descriptors name operations: all are taken before these are gone. */
bool weft_schedule_release_all(struct weft_schedule *schedule)
{
    if (schedule->phase == WEFT_SCHEDULE_PHASE_RUNNING)
        weft_schedule_death_tell(schedule);
    else if (schedule->phase == WEFT_SCHEDULE_PHASE_OVER)
        wait_for_takers(schedule);
    PtlCTCancelTriggered(schedule->begin);
    for (size_t i = 0; i < schedule->count; i++)
        cancel(&schedule->operations[i]);
    bool is_free = let_go(schedule);
    for (unsigned i = 0; !is_free && i < LAST_WORDS; i++) {
        pause_for(schedule, 1);
        is_free = let_go(schedule);
    }
    weft_schedule_advance(schedule->engine);
    free_parts(schedule);
    if (!is_free)
        weft_log(WEFT_LOG_WARN, "a schedule was freed while its messages were still under way");
    return is_free;
}
