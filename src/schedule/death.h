/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A receive has nothing under way that could fail when its source dies. So who waits in silence
 * asks those whom it waits for, one by one, and who gives up tells all with whom it exchanges
 * messages: they may wait for nobody else, and would wait for ever.
 */
#ifndef WEFT_SCHEDULE_DEATH_H
#define WEFT_SCHEDULE_DEATH_H

#include "schedule/schedule.h"

/* Milliseconds after which silence counts. */
#define WEFT_SCHEDULE_SILENCE 20u

/* A process did not answer. */
void weft_schedule_death_of(weft_engine *engine, uint32_t rank);

/* Schedules of the number are given up by another process. */
void weft_schedule_death_heard(weft_engine *engine, uint16_t number);

/* Asks a process whether it lives; no answer is an event. */
void weft_schedule_death_ping(weft_engine *engine, uint32_t rank);

/* Asks the next of those for whom the schedule waits whether it lives. */
void weft_schedule_death_ask(struct weft_schedule *schedule);

/* Whether the schedule waits for what can never come. */
bool weft_schedule_death_met(const struct weft_schedule *schedule);

/* The schedule is given up here. */
void weft_schedule_death_tell(const struct weft_schedule *schedule);

#endif
