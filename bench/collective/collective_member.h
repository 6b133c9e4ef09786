/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of `weft bench collective` that use schedules. */
#ifndef WEFT_BENCH_COLLECTIVE_COLLECTIVE_MEMBER_H
#define WEFT_BENCH_COLLECTIVE_COLLECTIVE_MEMBER_H

#include "bench/collective/collective_turn.h"

#define COLLECTIVE_MOST_PROCESSES 16

void collective_crew_start(unsigned processes, size_t hpus);
struct collective_times collective_crew_run(const struct collective_turn *turn);

#endif
