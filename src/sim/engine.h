/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time. An event is a function that is called with its argument when its time has come;
 * the engine knows nothing else of it. Events of one time happen in the order in which they were
 * posted, so that a run follows from what was posted alone.
 *
 * A timer is an event that is at most once under way and can be moved and stopped. Posted events
 * can not, and cost less: they wait in a calendar, timers in a heap.
 */
#ifndef WEFT_SIM_ENGINE_H
#define WEFT_SIM_ENGINE_H

#include "sim/calendar.h"
#include "sim/heap.h"

/* Starts as zeros. */
struct weft_sim_engine {
    uint64_t now;
    uint64_t events; /* that have happened */
    uint64_t order;  /* of the next that is posted */
    bool starved;    /* there was no memory, for an event or for what one wanted: nothing happens
                        any more */
    struct weft_sim_calendar calendar;
    struct weft_sim_heap timers;
};

void weft_sim_engine_fini(struct weft_sim_engine *engine);

/* What was due before now happens now, and what is due never does not happen. */
void weft_sim_engine_post(struct weft_sim_engine *engine, uint64_t time,
                          void (*act)(void *argument), void *argument);

/* A timer that is set for never is stopped; one that is set again for its time keeps its turn. */
void weft_sim_engine_set(struct weft_sim_engine *engine, struct weft_sim_timer *timer,
                         uint64_t time);
void weft_sim_engine_stop(struct weft_sim_engine *engine, struct weft_sim_timer *timer);

/* The time of the next event; never if there is none. */
uint64_t weft_sim_engine_next(struct weft_sim_engine *engine);

/* Lets the next event happen; false if there is none until then. */
bool weft_sim_engine_step(struct weft_sim_engine *engine, uint64_t until);

/* Lets all happen that is due until then. */
void weft_sim_engine_run(struct weft_sim_engine *engine, uint64_t until);

static inline uint64_t weft_sim_later(uint64_t time, uint64_t delay)
{
    return delay < WEFT_SIM_NEVER - time ? time + delay : WEFT_SIM_NEVER;
}

#endif
