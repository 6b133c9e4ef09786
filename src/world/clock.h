/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_WORLD_CLOCK_H
#define WEFT_WORLD_CLOCK_H

#include <stdint.h>
#include <time.h>

#define WEFT_CLOCK_MILLISECOND UINT64_C(1000000)
#define WEFT_CLOCK_SECOND UINT64_C(1000000000)

struct weft_world;

static inline uint64_t weft_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * WEFT_CLOCK_SECOND + (uint64_t)now.tv_nsec;
}

/* Sleeps; the next nap of one who waits for something that many want is to be twice as long. */
static inline uint64_t weft_clock_nap(uint64_t nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)nanoseconds}, NULL);
    return nanoseconds < 16 * WEFT_CLOCK_MILLISECOND ? 2 * nanoseconds : nanoseconds;
}

/* `now` and `relax` of the worlds (nic/world.h) in which time passes by itself. */

static inline uint64_t weft_clock_of(struct weft_world *world)
{
    (void)world;
    return weft_clock_now();
}

static inline void weft_clock_relax(struct weft_world *world)
{
    (void)world;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
