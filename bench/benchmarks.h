/* SPDX-License-Identifier: BSD-3-Clause */
/* The benchmarks of `weft bench`. */
#ifndef WEFT_BENCH_BENCHMARKS_H
#define WEFT_BENCH_BENCHMARKS_H

#include "bench/harness/bench.h"

extern const struct benchmark bench_type, bench_copy, bench_seek, bench_commit, bench_clock;
extern const struct benchmark bench_put, bench_get, bench_rate, bench_chain, bench_match;
extern const struct benchmark bench_collective, bench_ways;
extern const struct benchmark bench_ddt, bench_transfer, bench_spin, bench_mpi;

#endif
