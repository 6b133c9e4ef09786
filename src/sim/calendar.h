/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events in the order of their times; those of one time in the order in which they were put in.
 *
 * A time is read as digits of six bits. An event lies in a bucket that says which is the highest
 * digit in which its time differs from the time of the calendar, and what that digit is. So all
 * that is near lies in 64 buckets of one time each, and what is farther away in buckets that
 * become longer and longer. When the near ones are empty, the next bucket is spread over those
 * below it. An event moves down once for each digit at most, however many there are, and moves
 * past nobody; where a heap asks for each event at every level who comes first, here nothing is
 * compared. A bucket of one time only becomes the near one of that time as it is.
 */
#ifndef WEFT_SIM_CALENDAR_H
#define WEFT_SIM_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_SIM_DIGIT_BITS 6u
#define WEFT_SIM_DIGITS 64u
#define WEFT_SIM_LEVELS 11u /* digits of a time */
#define WEFT_SIM_NEVER UINT64_MAX

struct weft_sim_event {
    uint64_t time;
    uint64_t order;
    void (*act)(void *argument);
    void *argument;
};

struct weft_sim_bucket {
    struct weft_sim_chunk *first;
    struct weft_sim_chunk *last;
    uint32_t begin;    /* of its events, in the first chunk */
    uint32_t end;      /* in the last */
    uint64_t earliest; /* of all that were put in since it was empty */
    uint64_t latest;
};

/* Starts as zeros. */
struct weft_sim_calendar {
    uint64_t time; /* not after that of any event */
    uint64_t next; /* of the first event, if `is_known` */
    bool is_known;
    uint64_t count;
    uint64_t filled[WEFT_SIM_LEVELS]; /* bit i: bucket i of the level has events */
    struct weft_sim_bucket buckets[WEFT_SIM_LEVELS][WEFT_SIM_DIGITS];
    struct weft_sim_chunk *free; /* kept for later */
    /* Or NULL: what the event will touch comes into the cache. In turn 1 its argument is there; in
     * turns 2 and 3, some events later each, also what the turns before asked for. */
    void (*fetch)(const struct weft_sim_event *event, unsigned turn);
};

void weft_sim_calendar_fini(struct weft_sim_calendar *calendar);

/* Not before the last event that was taken, and not never. False without memory. */
bool weft_sim_calendar_put(struct weft_sim_calendar *calendar, const struct weft_sim_event *event);

/* The time of the first event; never if there is none. */
uint64_t weft_sim_calendar_next(struct weft_sim_calendar *calendar);

/* The first event of a calendar that has one; good until the calendar is changed. From now on,
 * nothing may be put in before it. NULL without memory. */
const struct weft_sim_event *weft_sim_calendar_first(struct weft_sim_calendar *calendar);

/* Takes it out, after weft_sim_calendar_first. */
void weft_sim_calendar_drop_first(struct weft_sim_calendar *calendar);

#endif
