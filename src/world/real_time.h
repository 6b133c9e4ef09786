/* SPDX-License-Identifier: BSD-3-Clause */
/* `now` and `relax` of the worlds (nic/world_ops.h) in which time passes by itself. */
#ifndef WEFT_WORLD_REAL_TIME_H
#define WEFT_WORLD_REAL_TIME_H

#include "base/clock.h"
#include "nic/world_ops.h"

static inline uint64_t weft_world_clock(struct weft_nic_world *world)
{
    (void)world;
    return weft_clock_now();
}

static inline void weft_world_relax(struct weft_nic_world *world)
{
    (void)world;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
