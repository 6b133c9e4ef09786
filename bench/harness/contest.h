/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rivals measured against each other: in rounds, in which each has one short turn, in rotating
 * order. Ratios are medians of ratios within a round, so that what disturbs the machine for longer
 * than a round disturbs all alike.
 */
#ifndef WEFT_BENCH_HARNESS_CONTEST_H
#define WEFT_BENCH_HARNESS_CONTEST_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/harness/median.h"

#define CONTEST_MOST_ROUNDS MEDIAN_MOST

struct contestant {
    /* Does `count` times what is measured; seconds of one, 0 if it cannot. */
    double (*run)(void *context, size_t count);
    double (*try)(void *context, size_t count); /* instead, to find the count; NULL: run */
    void *context;
    const struct contestant *like; /* has the count of that one, which stands before it, untried */
    bool is_absent;

    size_t count; /* of a turn */
    double rounds[CONTEST_MOST_ROUNDS];
    size_t round_count;
    double median, minimum; /* 0 if it is absent */
};

/* The count of a turn is found by so many tries, of which the first has the first count. */
struct contest_counts {
    size_t tries, first, least, most;
};

struct contest {
    size_t rounds;
    double seconds; /* of a turn */
    struct contest_counts counts;
};

void contest_run(struct contestant *contestants, size_t count, const struct contest *contest);

/* The turns alone, of contestants that have their counts: for so many seconds in all. */
void contest_take_turns(struct contestant *contestants, size_t count, double seconds,
                        size_t least_rounds);

/* How many times as long as `other`; 0 if one of them is absent. */
double contest_ratio(const struct contestant *one, const struct contestant *other);

#endif
