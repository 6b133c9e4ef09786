/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of the pair, and UCX, as contestants. */
#ifndef WEFT_BENCH_PAIR_PAIR_RIVAL_H
#define WEFT_BENCH_PAIR_PAIR_RIVAL_H

#include "bench/harness/contest.h"
#include "bench/pair/pair.h"

/* Tests of ucx_perftest. */
struct pair_ucx {
    const char *latency, *bandwidth;
};

/* The receiver is called with what has come, and drops it unread. */
extern const struct pair_ucx pair_ucx_active;
/* A message is matched and put into place, as a put is. */
extern const struct pair_ucx pair_ucx_tagged;

struct pair_rival {
    struct pair_job job;        /* its count is chosen by the contest */
    double share;               /* of what the job measures: 0.5 for half a round trip */
    const struct pair_ucx *ucx; /* that does it; NULL: the pair */
};

struct contestant pair_contestant(struct pair_rival *rival);

/* UCX does what the job says as often as `like`: to find out how often would mean to start its
 * processes. */
struct contestant pair_ucx_contestant(struct pair_rival *rival, const struct contestant *like);

/* Of these many rounds, with turns of these seconds. */
struct contest pair_contest(size_t rounds, double seconds);

#endif
