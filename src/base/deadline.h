/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When waits end. A deadline is a time of weft_clock_now in nanoseconds, never a count of tries:
 * so it holds whatever is called before it has come, and however long that takes.
 */
#ifndef WEFT_BASE_DEADLINE_H
#define WEFT_BASE_DEADLINE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"
#include "base/setting.h"

/* A century, so that no sum of times overflows. */
#define WEFT_DEADLINE_LONGEST (UINT64_C(100) * 365 * 24 * 3600 * WEFT_CLOCK_SECOND)

/* Nanoseconds of a setting in milliseconds. */
static inline uint64_t weft_deadline_span(enum weft_setting setting)
{
    uint64_t milliseconds = weft_setting(setting);
    return milliseconds < WEFT_DEADLINE_LONGEST / WEFT_CLOCK_MILLISECOND
               ? milliseconds * WEFT_CLOCK_MILLISECOND
               : WEFT_DEADLINE_LONGEST;
}

static inline uint64_t weft_deadline_after(uint64_t nanoseconds)
{
    return weft_clock_now() +
           (nanoseconds < WEFT_DEADLINE_LONGEST ? nanoseconds : WEFT_DEADLINE_LONGEST);
}

static inline uint64_t weft_deadline_of(enum weft_setting setting)
{
    return weft_deadline_after(weft_deadline_span(setting));
}

/* 0 once it has come. */
static inline uint64_t weft_deadline_left(uint64_t deadline)
{
    uint64_t now = weft_clock_now();
    return now < deadline ? deadline - now : 0;
}

static inline bool weft_deadline_is_over(uint64_t deadline)
{
    return weft_deadline_left(deadline) == 0;
}

/* For what is tried again and again: a deadline of 0 begins now, and one that is over is 0 again.
 */
static inline bool weft_deadline_expires(uint64_t *deadline, uint64_t nanoseconds)
{
    if (*deadline == 0)
        *deadline = weft_deadline_after(nanoseconds);
    if (!weft_deadline_is_over(*deadline))
        return false;
    *deadline = 0;
    return true;
}

/* For pthread_cond_timedwait with CLOCK_MONOTONIC. */
static inline struct timespec weft_deadline_timespec(uint64_t deadline)
{
    return (struct timespec){.tv_sec = (time_t)(deadline / WEFT_CLOCK_SECOND),
                             .tv_nsec = (long)(deadline % WEFT_CLOCK_SECOND)};
}

/* For poll: it does not return before the deadline without a reason. */
static inline int weft_deadline_poll(uint64_t deadline)
{
    uint64_t left = weft_deadline_left(deadline);
    uint64_t milliseconds = (left + WEFT_CLOCK_MILLISECOND - 1) / WEFT_CLOCK_MILLISECOND;
    return milliseconds < INT_MAX ? (int)milliseconds : INT_MAX;
}

#endif
