/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAIL 0.025 /* of each side, outside of the interval */

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

/* Between two values if need be. */
static double quantile(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

struct ranks_spread ranks_spread(const double *values, size_t count)
{
    double sorted[RANKS_MOST];
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    return (struct ranks_spread){.least = sorted[0],
                                 .lower = quantile(sorted, count, 0.25),
                                 .median = quantile(sorted, count, 0.5),
                                 .upper = quantile(sorted, count, 0.75),
                                 .greatest = sorted[count - 1]};
}

enum { MOST_MEANS = RANKS_MOST * (RANKS_MOST + 1) / 2 };

/*
 * The sum of the ranks of those pairs whose second value is the smaller one. If the two do not
 * differ, each rank is in it with a chance of one half: `chances` of all sums are taken from the
 * ranks below to those with this one.
 */
long ranks_critical(size_t pairs)
{
    double chances[MOST_MEANS + 1] = {1}, sum = 0;
    size_t greatest = 0;
    for (size_t rank = 1; rank <= pairs; rank++) {
        greatest += rank;
        for (size_t i = greatest + 1; i-- > 0;)
            chances[i] = (chances[i] + (i >= rank ? chances[i - rank] : 0)) / 2;
    }
    long critical = -1;
    while ((sum += chances[critical + 1]) <= TAIL)
        critical++;
    return critical;
}

/* Returns how many there are. A mean of logarithms is the root of the product. */
static size_t means_of(const double *first, const double *second, size_t pairs, double *means)
{
    size_t count = 0;
    for (size_t i = 0; i < pairs; i++)
        for (size_t j = 0; j <= i; j++)
            means[count++] = sqrt(second[i] / first[i] * (second[j] / first[j]));
    return count;
}

struct ranks_ratio ranks_compare(const double *first, const double *second, size_t pairs)
{
    double means[MOST_MEANS];
    size_t count = means_of(first, second, pairs, means);
    long outside = ranks_critical(pairs);
    qsort(means, count, sizeof *means, by_value);
    struct ranks_ratio ratio = {.middle = quantile(means, count, 0.5), .has_bounds = outside >= 0};
    if (ratio.has_bounds) {
        ratio.low = means[outside];
        ratio.high = means[count - 1 - (size_t)outside];
    }
    return ratio;
}
