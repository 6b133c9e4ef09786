/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks.h"

#include <stdlib.h>

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

struct ranks_spread ranks_spread(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return (struct ranks_spread){.least = values[0],
                                 .lower = quantile(values, count, 0.25),
                                 .median = quantile(values, count, 0.5),
                                 .upper = quantile(values, count, 0.75),
                                 .greatest = values[count - 1]};
}

/*
 * U counts pairs in which the value of the second sample is the smaller one. If the samples do not
 * differ, all orders are as likely: the greatest of all n + m values is of the first with
 * n / (n + m), and then greater than all m of the second, so
 *
 *     p(n, m, u) = n / (n + m) p(n - 1, m, u - m) + m / (n + m) p(n, m - 1, u)
 *
 * `chances` has rows p(n, j, .) for all j, and is taken from n - 1 to n.
 */
static void add_one(double *chances, size_t n, size_t count)
{
    size_t width = count * count + 1;
    for (size_t m = 1; m <= count; m++) {
        double *row = chances + m * width, *before = row - width;
        double of_first = (double)n / (double)(n + m);
        for (size_t u = width; u-- > 0;)
            row[u] = of_first * (u >= m ? row[u - m] : 0) + (1 - of_first) * before[u];
    }
}

long ranks_critical(size_t count)
{
    size_t width = count * count + 1;
    double *chances = calloc((count + 1) * width, sizeof *chances), sum = 0;
    if (!chances)
        return -1;
    for (size_t m = 0; m <= count; m++)
        chances[m * width] = 1;
    for (size_t n = 1; n <= count; n++)
        add_one(chances, n, count);
    long critical = -1;
    while ((sum += chances[count * width + (size_t)(critical + 1)]) <= TAIL)
        critical++;
    free(chances);
    return critical;
}

struct ranks_ratio ranks_compare(const double *first, const double *second, size_t count)
{
    struct ranks_ratio ratio = {0};
    size_t pairs = count * count;
    double *ratios = malloc(pairs * sizeof *ratios);
    long outside = ranks_critical(count);
    if (!ratios)
        return ratio;
    for (size_t i = 0; i < pairs; i++)
        ratios[i] = second[i / count] / first[i % count];
    qsort(ratios, pairs, sizeof *ratios, by_value);
    ratio.middle = quantile(ratios, pairs, 0.5);
    ratio.has_bounds = outside >= 0;
    if (ratio.has_bounds) {
        ratio.low = ratios[outside];
        ratio.high = ratios[pairs - 1 - (size_t)outside];
    }
    free(ratios);
    return ratio;
}
