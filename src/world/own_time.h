/* SPDX-License-Identifier: BSD-3-Clause */
/* Time that passes only while a world looks at its peers: a process that was stopped must not take
 * others for dead when it goes on. */
#ifndef WEFT_WORLD_OWN_TIME_H
#define WEFT_WORLD_OWN_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#define WEFT_WORLD_OWN_TIME_PAUSE (WEFT_CLOCK_MILLISECOND / 2)
/* Part of the timeout: the most that a look adds. */
#define WEFT_WORLD_OWN_TIME_PART 16

struct weft_world_own_time {
    uint64_t now;
    uint64_t looked_at; /* by the clock of the host */
};

static inline struct weft_world_own_time weft_world_own_time_begin(void)
{
    return (struct weft_world_own_time){.now = 1, .looked_at = weft_clock_now()};
}

static inline void weft_world_own_time_pass(struct weft_world_own_time *time, uint64_t host_now,
                                            uint64_t timeout)
{
    uint64_t passed = host_now - time->looked_at, most = timeout / WEFT_WORLD_OWN_TIME_PART;
    time->now += passed < most ? passed : most;
    time->looked_at = host_now;
}

/* The same if the last look was long enough ago; otherwise false. */
static inline bool weft_world_own_time_is_due(struct weft_world_own_time *time, uint64_t host_now,
                                              uint64_t timeout)
{
    if (host_now - time->looked_at < WEFT_WORLD_OWN_TIME_PAUSE)
        return false;
    weft_world_own_time_pass(time, host_now, timeout);
    return true;
}

#endif
