/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of `weft bench spin` together. */
#ifndef WEFT_BENCH_SPIN_SPIN_CREW_H
#define WEFT_BENCH_SPIN_SPIN_CREW_H

#include "bench/spin/spin_member.h"

#define SPIN_CREW 8

/* `provider`: of libfabric; NULL: shared memory. `hpus`: threads that run handlers. */
void spin_crew_start(const char *provider, unsigned hpus);
void spin_crew_stop(void);

/* Seconds of one round. */
double spin_crew_run(const struct spin_job *job);

void spin_member_main(unsigned rank, void *argument, int jobs, int answers);

#endif
