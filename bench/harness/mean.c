/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/mean.h"

#include <math.h>

void mean_add(struct mean *mean, double ratio, const void *whose)
{
    if (ratio <= 0)
        return;
    mean->logarithms += log(ratio);
    if (mean->count++ > 0 && ratio >= mean->least)
        return;
    mean->least = ratio;
    mean->worst = whose;
}

double mean_value(const struct mean *mean)
{
    return mean->count ? exp(mean->logarithms / (double)mean->count) : 0;
}
