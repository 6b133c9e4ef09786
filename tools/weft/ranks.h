/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two samples of times, compared by ranks (Mann and Whitney's test, and the interval of Hodges and
 * Lehmann that belongs to it): nothing is assumed of how times are distributed, and one that is
 * far out weighs no more than any other.
 */
#ifndef WEFT_TOOLS_RANKS_H
#define WEFT_TOOLS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

struct ranks_spread {
    double least, lower, median, upper, greatest; /* lower and upper are quartiles */
};

/* Sorts the values, of which there is at least one. */
struct ranks_spread ranks_spread(double *values, size_t count);

/* How many times as large the second sample is as the first. */
struct ranks_ratio {
    double middle;    /* the median of all ratios of two values */
    double low, high; /* what the ratio is within, with a confidence of 95 % */
    bool has_bounds;  /* false: so few values leave everything possible */
};

/* Values are greater than 0, and at most RANKS_MOST of each. */
enum { RANKS_MOST = 100 };
struct ranks_ratio ranks_compare(const double *first, const double *second, size_t count);

/* The greatest U of two samples of this size that happens by chance in at most 2.5 % of cases; -1
 * if there is none. */
long ranks_critical(size_t count);

#endif
