/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations run on the NIC, which knows counters alone. So a schedule says when it is posted
 * which counter ends which operation, and the timeline finds the time among what the NIC has
 * counted.
 */
#include "schedule/trace.h"

#include "portals/driver.h"
#include "schedule/engine.h"
#include "trace/record.h"

static uint64_t name_of(const struct weft_schedule_operation *operation)
{
    const struct weft_schedule *schedule = operation->schedule;
    return WEFT_TRACE_OPERATION_NAME(schedule->number,
                                     (uint64_t)(operation - schedule->operations));
}

static void tell(const struct weft_schedule_operation *operation, enum weft_trace_what what,
                 uint64_t b)
{
    weft_portals_driver_trace(operation->schedule->engine->ni, what, name_of(operation), b,
                              PTL_CT_NONE, 0);
}

static bool ends_at_start(const struct weft_schedule_operation *operation)
{
    return operation->done.ct == operation->schedule->begin || operation->done.ct == PTL_CT_NONE;
}

static void introduce(const struct weft_schedule_operation *operation)
{
    const struct weft_schedule *schedule = operation->schedule;
    ptl_handle_ni_t ni = schedule->engine->ni;
    struct weft_schedule_mark done = weft_schedule_now(schedule, operation->done);
    weft_portals_driver_trace(ni, WEFT_TRACE_OPERATION, name_of(operation) | operation->kind,
                              weft_schedule_length(operation), PTL_CT_NONE, operation->peer);
    for (size_t i = 0; i < operation->earlier_count; i++)
        tell(operation, WEFT_TRACE_OPERATION_AFTER,
             name_of(&schedule->operations[operation->earlier[i]]));
    if (!ends_at_start(operation))
        weft_portals_driver_trace(ni, WEFT_TRACE_OPERATION_ENDS, name_of(operation),
                                  done.threshold, done.ct, 0);
}

void weft_schedule_trace_post(const struct weft_schedule *schedule)
{
    for (size_t i = 0; schedule->engine->is_traced && i < schedule->count; i++)
        introduce(&schedule->operations[i]);
}

void weft_schedule_trace_start(const struct weft_schedule *schedule)
{
    for (size_t i = 0; schedule->engine->is_traced && i < schedule->count; i++) {
        const struct weft_schedule_operation *operation = &schedule->operations[i];
        if (weft_schedule_needs_start(operation))
            tell(operation, WEFT_TRACE_OPERATION_BEGUN, 0);
        if (ends_at_start(operation))
            tell(operation, WEFT_TRACE_OPERATION_OVER, 0);
    }
}
