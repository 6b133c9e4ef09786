/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine.h"

void weft_sim_engine_fini(struct weft_sim_engine *engine)
{
    weft_sim_calendar_fini(&engine->calendar);
    weft_sim_heap_fini(&engine->timers);
}

/* ---- Posting ------------------------------------------------------------------------------ */

void weft_sim_engine_post(struct weft_sim_engine *engine, uint64_t time,
                          void (*act)(void *argument), void *argument)
{
    if (time == WEFT_SIM_NEVER)
        return;
    struct weft_sim_event event = {.time = time < engine->now ? engine->now : time,
                                   .order = engine->order++,
                                   .act = act,
                                   .argument = argument};
    if (!weft_sim_calendar_put(&engine->calendar, &event))
        engine->starved = true;
}

void weft_sim_engine_set(struct weft_sim_engine *engine, struct weft_sim_timer *timer,
                         uint64_t time)
{
    if (time == WEFT_SIM_NEVER)
        weft_sim_engine_stop(engine, timer);
    else if (!weft_sim_heap_set(&engine->timers, timer, time < engine->now ? engine->now : time,
                                engine->order++))
        engine->starved = true;
}

void weft_sim_engine_stop(struct weft_sim_engine *engine, struct weft_sim_timer *timer)
{
    weft_sim_heap_drop(&engine->timers, timer);
}

/* ---- Running ------------------------------------------------------------------------------ */

static uint64_t next_timer(const struct weft_sim_engine *engine)
{
    const struct weft_sim_heap_item *first = weft_sim_heap_first(&engine->timers);
    return first ? first->time : WEFT_SIM_NEVER;
}

uint64_t weft_sim_engine_next(struct weft_sim_engine *engine)
{
    /* A calendar without memory may have lost some. */
    if (engine->starved)
        return WEFT_SIM_NEVER;
    uint64_t timer = next_timer(engine);
    uint64_t event = weft_sim_calendar_next(&engine->calendar);
    return timer < event ? timer : event;
}

static void let_timer_happen(struct weft_sim_engine *engine)
{
    const struct weft_sim_timer *timer = weft_sim_heap_pop(&engine->timers);
    timer->act(timer->argument);
}

/* Or the timer that was set before it for the same time. */
static void let_event_happen(struct weft_sim_engine *engine)
{
    const struct weft_sim_event *first = weft_sim_calendar_first(&engine->calendar);
    if (!first) {
        engine->starved = true;
        return;
    }
    if (next_timer(engine) == first->time &&
        weft_sim_heap_first(&engine->timers)->order < first->order) {
        let_timer_happen(engine);
        return;
    }
    struct weft_sim_event event = *first;
    weft_sim_calendar_drop_first(&engine->calendar);
    event.act(event.argument);
}

bool weft_sim_engine_step(struct weft_sim_engine *engine, uint64_t until)
{
    uint64_t next = weft_sim_engine_next(engine);
    if (next > until || next == WEFT_SIM_NEVER)
        return false;
    engine->now = next;
    engine->events++;
    if (weft_sim_calendar_next(&engine->calendar) == next)
        let_event_happen(engine);
    else
        let_timer_happen(engine);
    return true;
}

void weft_sim_engine_run(struct weft_sim_engine *engine, uint64_t until)
{
    while (weft_sim_engine_step(engine, until))
        continue;
}
