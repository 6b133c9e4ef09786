/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_BENCH_HARNESS_MEDIAN_H
#define WEFT_BENCH_HARNESS_MEDIAN_H

#include <stddef.h>

#define MEDIAN_MOST 1000

/* Of up to MEDIAN_MOST values, and at least one. */
double median_of(const double *values, size_t count);

#endif
