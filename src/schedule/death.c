/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/death.h"

#include <stdlib.h>

#include "schedule/engine.h"
#include "schedule/loan.h"

static void note(bool **flags, size_t count, size_t which)
{
    if (!*flags)
        *flags = calloc(count, sizeof **flags);
    if (*flags && which < count)
        (*flags)[which] = true;
}

void weft_schedule_death_of(weft_engine *engine, uint32_t rank)
{
    note(&engine->is_dead, engine->size, rank);
}

void weft_schedule_death_heard(weft_engine *engine, uint16_t number)
{
    note(&engine->is_broken, WEFT_SCHEDULE_NUMBERS, number);
}

static bool is_message(const struct weft_schedule_operation *operation)
{
    return operation->kind == WEFT_SCHEDULE_SEND || operation->kind == WEFT_SCHEDULE_RECEIVE;
}

static bool waits_for_peer(const struct weft_schedule_operation *operation)
{
    const struct weft_schedule *schedule = operation->schedule;
    return is_message(operation) && !operation->is_optional &&
           !(weft_schedule_has_happened(weft_schedule_end_of(schedule, operation)) &&
             weft_schedule_has_happened(weft_schedule_loan_before(schedule, operation)));
}

void weft_schedule_death_ping(weft_engine *engine, uint32_t rank)
{
    PtlPut(engine->ping, 0, 0, PTL_ACK_REQ, weft_schedule_process(rank), WEFT_SCHEDULE_LOCAL,
           WEFT_SCHEDULE_ECHO, 0, NULL, 0);
}

void weft_schedule_death_ask(struct weft_schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        schedule->asked = (schedule->asked + 1) % schedule->count;
        const struct weft_schedule_operation *operation = &schedule->operations[schedule->asked];
        if (waits_for_peer(operation)) {
            weft_schedule_death_ping(schedule->engine, operation->peer);
            return;
        }
    }
}

bool weft_schedule_death_met(const struct weft_schedule *schedule)
{
    const weft_engine *engine = schedule->engine;
    if (engine->is_broken && engine->is_broken[schedule->number])
        return true;
    for (size_t i = 0; engine->is_dead && i < schedule->count; i++) {
        const struct weft_schedule_operation *operation = &schedule->operations[i];
        if (is_message(operation) && engine->is_dead[operation->peer] && waits_for_peer(operation))
            return true;
    }
    return false;
}

void weft_schedule_death_tell(const struct weft_schedule *schedule)
{
    const weft_engine *engine = schedule->engine;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct weft_schedule_operation *operation = &schedule->operations[i];
        if (is_message(operation) && operation->peer != engine->rank &&
            !(engine->is_dead && engine->is_dead[operation->peer]))
            PtlPut(engine->ping, 0, 0, PTL_NO_ACK_REQ, weft_schedule_process(operation->peer),
                   WEFT_SCHEDULE_LOCAL, WEFT_SCHEDULE_ALARM, 0, NULL, schedule->number);
    }
}
