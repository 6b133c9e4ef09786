/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_WORLD_SHM_CLOCK_H
#define WEFT_WORLD_SHM_CLOCK_H

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

#endif
