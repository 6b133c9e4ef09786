/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of the benchmarks between two processes. */
#ifndef WEFT_BENCH_PAIR_PAIR_OPTIONS_H
#define WEFT_BENCH_PAIR_PAIR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/harness/contest.h"

/* Each is a bit, so that an option can say where it makes sense. */
enum pair_bench {
    PAIR_BENCH_PUT = 1,
    PAIR_BENCH_GET = 2,
    PAIR_BENCH_RATE = 4,
    PAIR_BENCH_MATCH = 8
};

#define PAIR_MAX_SIZES 64

struct pair_options {
    size_t sizes[PAIR_MAX_SIZES];
    size_t size_count;
    size_t window;
    enum pair_world world;
    const char *provider; /* of libfabric; NULL: as the settings say */
    struct contest_options contest;
    bool latency, stream; /* which tables of `put` */
    bool no_ucx, json, check;
};

/* Returns an exit code, or -1 to go on. */
int pair_options_parse(enum pair_bench bench, int argc, char **argv, struct pair_options *options);

/* Starts the pair for these options, and says on what it runs. */
void pair_options_start(enum pair_bench bench, const struct pair_options *options);

/* Opens the object that the report is, with the members that all reports have; while the pair
 * lives. */
void pair_options_json(enum pair_bench bench, const struct pair_options *options);

#endif
