/* SPDX-License-Identifier: BSD-3-Clause */
/* The bars of the benchmarks between two processes. */
#ifndef WEFT_BENCH_PAIR_PAIR_BAR_H
#define WEFT_BENCH_PAIR_PAIR_BAR_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/pair/pair_options.h"
#include "bench/pair/pair_table.h"

/* Each is a bit, so that a bar can say where it stands. */
enum pair_bench {
    PAIR_BENCH_PUT = 1,
    PAIR_BENCH_GET = 2,
    PAIR_BENCH_RATE = 4,
    PAIR_BENCH_CHAIN = 8
};

/* All that was measured, some rows perhaps not yet. */
struct pair_result {
    enum pair_bench bench;
    struct pair_table tables[2];
    size_t table_count;
};

/* Those of the benchmark and its world, in order. */
void pair_bars_look(const struct pair_result *result, struct bar_list *list);

/* Whether one row of the result misses any. */
bool pair_bars_are_missed_by(const struct pair_result *result, const struct pair_table *table,
                             const struct pair_row *row);

#endif
