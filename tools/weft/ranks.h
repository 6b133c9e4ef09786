/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of times, compared by ranks (Wilcoxon's test of signed ranks, and the interval of Hodges
 * and Lehmann that belongs to it). The two of a pair were measured next to each other, so what
 * changes slowly is in both, and their ratio is without it. Of the ratios nothing is assumed but
 * that they lie around their median alike on both sides, as logarithms; one that is far out weighs
 * no more than any other.
 */
#ifndef WEFT_TOOLS_RANKS_H
#define WEFT_TOOLS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/* The most values of a sample. */
enum { RANKS_MOST = 400 };

struct ranks_spread {
    double least, lower, median, upper, greatest; /* lower and upper are quartiles */
};

/* There is at least one value. */
struct ranks_spread ranks_spread(const double *values, size_t count);

/* How many times as large the second of a pair is as the first. */
struct ranks_ratio {
    double middle;    /* the median of the means of any two ratios */
    double low, high; /* what the ratio is within, with a confidence of 95 % */
    bool has_bounds;  /* false: so few pairs leave everything possible */
};

/* Values are greater than 0. */
struct ranks_ratio ranks_compare(const double *first, const double *second, size_t pairs);

/* The greatest sum of the ranks on one side that happens by chance in at most 2.5 % of cases; -1
 * if there is none. */
long ranks_critical(size_t pairs);

#endif
