/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/median.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(const double *values, size_t count)
{
    double sorted[MEDIAN_MOST];
    memcpy(sorted, values, count * sizeof(*values));
    qsort(sorted, count, sizeof(*sorted), compare);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}
