/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast an engine runs: a note for people, as machines that test have other things to do. */
#ifndef WEFT_TESTS_SIM_RATE_H
#define WEFT_TESTS_SIM_RATE_H

#include <time.h>

#include "sim/engine.h"
#include "support/tap.h"

static inline double rate_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline void rate_run(struct weft_sim_engine *engine, uint64_t until)
{
    double begin = rate_seconds();
    uint64_t before = engine->events;
    weft_sim_engine_run(engine, until);
    double rate = (double)(engine->events - before) / (rate_seconds() - begin + 1e-9);
    tap_note("%.1f million events a second", rate * 1e-6);
    check(rate > 0);
}

#endif
