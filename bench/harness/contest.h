/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures jobs of the pair, and UCX, against each other: in rounds, in which each has one short
 * turn, in rotating order. Ratios are medians of ratios within a round, so that what disturbs the
 * machine for longer than a round disturbs all alike.
 */
#ifndef WEFT_BENCH_HARNESS_CONTEST_H
#define WEFT_BENCH_HARNESS_CONTEST_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/pair/pair.h"

#define CONTEST_MAX_ROUNDS 100

struct contestant {
    struct pair_job job; /* its count is chosen here */
    bool is_ucx;         /* does what the job says with active messages */
    bool absent;
    double share; /* of what the job measures: 0.5 for half a round trip */
    /* Seconds of one message. */
    double rounds[CONTEST_MAX_ROUNDS];
    size_t round_count;
    double median;
    double minimum;
};

struct contest_options {
    size_t rounds;
    double seconds; /* of one turn */
};

void contest_run(struct contestant *contestants, size_t count,
                 const struct contest_options *options);

/* How many times as long as `other`; 0 if one of them is absent. */
double contest_ratio(const struct contestant *one, const struct contestant *other);

#endif
