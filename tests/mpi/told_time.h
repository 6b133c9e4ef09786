/* SPDX-License-Identifier: BSD-3-Clause */
/* A clock that a test moves; it is linked with -Wl,--wrap=clock_gettime. */
#ifndef WEFT_TESTS_MPI_TOLD_TIME_H
#define WEFT_TESTS_MPI_TOLD_TIME_H

#include <stdint.h>
#include <time.h>

static uint64_t nanoseconds = 1;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    time->tv_sec = (time_t)(nanoseconds / 1000000000u);
    time->tv_nsec = (long)(nanoseconds % 1000000000u);
    return 0;
}

#endif
