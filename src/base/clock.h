/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define WEFT_CLOCK_MILLISECOND UINT64_C(1000000)
#define WEFT_CLOCK_SECOND UINT64_C(1000000000)

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

#endif
