/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of `weft bench collective` that use schedules. */
#ifndef WEFT_BENCH_COLLECTIVE_COLLECTIVE_MEMBER_H
#define WEFT_BENCH_COLLECTIVE_COLLECTIVE_MEMBER_H

#include <weft_collective.h>

#include "bench/collective/collective_turn.h"

#define COLLECTIVE_MOST_PROCESSES 16

/* Adds what a turn measures, of `sources` and `results` of as many bytes. */
int collective_add(weft_schedule *schedule, const struct collective_turn *turn, unsigned root,
                   void *sources, void *results);

void collective_crew_start(unsigned processes, size_t hpus);
struct collective_times collective_crew_run(const struct collective_turn *turn);

#endif
