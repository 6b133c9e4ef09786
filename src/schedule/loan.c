/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/loan.h"

#include <stdlib.h>

#include "schedule/engine.h"

/* Bytes of all copies of a process. */
#define MOST_LENT ((size_t)64 << 20)
/* Milliseconds that the NIC gets to let go of a copy that was got. */
#define LAST_WORDS 2000u

static unsigned parity_of(const struct weft_schedule *schedule)
{
    return schedule->execution % 2;
}

struct weft_schedule_mark weft_schedule_loan_all(const struct weft_schedule_operation *operation)
{
    if (operation->lent == 0)
        return (struct weft_schedule_mark){PTL_CT_NONE, 0};
    return (struct weft_schedule_mark){operation->taken, operation->lent};
}

struct weft_schedule_mark weft_schedule_loan_before(const struct weft_schedule *schedule,
                                                    const struct weft_schedule_operation *op)
{
    struct weft_schedule_mark mark = weft_schedule_loan_all(op);
    if (op->loan[parity_of(schedule)])
        mark.threshold -= weft_schedule_length(op);
    return mark;
}

/* ---- Making ------------------------------------------------------------------------------- */

static bool is_complete(const struct weft_schedule *schedule,
                        const struct weft_schedule_operation *operation)
{
    return weft_schedule_has_happened(weft_schedule_end_of(schedule, operation));
}

/* Short messages have left, and will be counted when they are acknowledged. */
static bool may_be_lent(const struct weft_schedule *schedule,
                        const struct weft_schedule_operation *operation)
{
    return operation->kind == WEFT_SCHEDULE_SEND && !operation->stream &&
           weft_schedule_length(operation) > schedule->engine->eager &&
           (operation->ready.ct == schedule->begin
                ? schedule->is_started
                : weft_schedule_has_happened(weft_schedule_now(schedule, operation->ready)));
}

static bool waits_for_late_alone(const struct weft_schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const struct weft_schedule_operation *operation = &schedule->operations[i];
        if (weft_schedule_ends_with(operation) && !may_be_lent(schedule, operation) &&
            !is_complete(schedule, operation))
            return false;
    }
    return true;
}

static int append(struct weft_schedule *schedule, const struct weft_schedule_operation *operation,
                  const struct weft_schedule_layout *layout, ptl_handle_ct_t ct,
                  ptl_handle_me_t *entry)
{
    return weft_schedule_append_pull(schedule, operation, layout, ct,
                                     (uint16_t)parity_of(schedule), entry);
}

/* The new entry is there before the old one is gone, so that who asks always finds one. */
static bool replace(struct weft_schedule *schedule, struct weft_schedule_operation *operation,
                    const struct weft_schedule_layout *layout, ptl_handle_ct_t ct)
{
    ptl_handle_me_t *old = &operation->lasting[parity_of(schedule)], new;
    if (append(schedule, operation, layout, ct, &new) != PTL_OK)
        return false;
    if (PtlMEUnlink(*old) != PTL_OK) {
        PtlMEUnlink(new);
        return false;
    }
    *old = new;
    return true;
}

/* False: it is being got just now. */
static bool lend(struct weft_schedule *schedule, struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    const struct weft_schedule_layout copy = {.base = malloc(length), .length = length};
    if (operation->taken == PTL_INVALID_HANDLE &&
        PtlCTAlloc(schedule->engine->ni, &operation->taken) != PTL_OK) {
        free(copy.base);
        return false;
    }
    if (copy.base)
        weft_schedule_layout_read(&operation->memory, copy.base);
    if (!copy.base || !replace(schedule, operation, &copy, operation->taken)) {
        free(copy.base);
        return false;
    }
    operation->loan[parity_of(schedule)] = copy.base;
    operation->lent += length;
    schedule->engine->lent += length;
    schedule->lent += length;
    return true;
}

/* If it was got in the last moment, nobody wants the copy. */
static void lend_or_leave(struct weft_schedule *schedule,
                          struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    if (length > MOST_LENT - schedule->engine->lent || !lend(schedule, operation))
        return;
    bool is_too_late = is_complete(schedule, operation);
    PtlCTInc(is_too_late ? operation->taken : operation->own, (ptl_ct_event_t){length, 0});
}

void weft_schedule_loan_make(struct weft_schedule *schedule)
{
    if (!waits_for_late_alone(schedule))
        return;
    for (size_t i = 0; i < schedule->count; i++) {
        struct weft_schedule_operation *operation = &schedule->operations[i];
        if (weft_schedule_ends_with(operation) && may_be_lent(schedule, operation) &&
            !is_complete(schedule, operation))
            lend_or_leave(schedule, operation);
    }
}

/* ---- Returning ---------------------------------------------------------------------------- */

int weft_schedule_loan_return(struct weft_schedule *schedule,
                              struct weft_schedule_operation *operation)
{
    char **copy = &operation->loan[parity_of(schedule)];
    if (!*copy)
        return PTL_OK;
    ptl_size_t never = PTL_SIZE_MAX;
    ptl_ct_event_t value;
    unsigned which, tries = 0;
    while (!replace(schedule, operation, &operation->memory, operation->own)) {
        if (++tries == LAST_WORDS)
            return PTL_FAIL;
        PtlCTPoll(&schedule->begin, &never, 1, 1, &value, &which);
    }
    schedule->engine->lent -= weft_schedule_length(operation);
    free(*copy);
    *copy = NULL;
    return PTL_OK;
}
