/* SPDX-License-Identifier: BSD-3-Clause */
/* The bars of the benchmarks between two processes. */
#ifndef WEFT_BENCH_PAIR_PAIR_BAR_H
#define WEFT_BENCH_PAIR_PAIR_BAR_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/pair/pair_options.h"
#include "bench/pair/pair_table.h"

/* All that was measured, some rows perhaps not yet. */
struct pair_result {
    enum pair_bench bench;
    enum pair_world world;
    const char *provider; /* of libfabric, if that is the world */
    const struct pair_table *tables;
    size_t table_count;
};

size_t pair_bars_missed(const struct pair_result *result);

/* Prints them; says how many are missed. */
size_t pair_bars_report(const struct pair_result *result, bool json);

#endif
