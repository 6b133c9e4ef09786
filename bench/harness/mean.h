/* SPDX-License-Identifier: BSD-3-Clause */
/* A geometric mean of ratios, and the smallest of them. */
#ifndef WEFT_BENCH_HARNESS_MEAN_H
#define WEFT_BENCH_HARNESS_MEAN_H

#include <stddef.h>

struct mean {
    double logarithms, least;
    size_t count;
    const void *worst; /* whose ratio the smallest is */
};

/* Ratios of 0 were not measured and do not count. */
void mean_add(struct mean *mean, double ratio, const void *whose);

/* 0 if nothing was added. */
double mean_value(const struct mean *mean);

#endif
