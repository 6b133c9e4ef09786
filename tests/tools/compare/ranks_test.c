/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistics of `weft compare`, against published tables and by trial. */
#include "ranks.h"

#include <math.h>

#include "support/rng.h"
#include "support/tap.h"

enum { TRIALS = 4000 };

/* Critical sums of signed ranks, two-sided, 5 %, as tables have them. */
static void check_tables(void)
{
    static const struct {
        size_t pairs;
        long critical;
    } tables[] = {{1, -1}, {4, -1},  {5, -1},  {6, 0},   {7, 2},   {8, 3},    {9, 5},
                  {10, 8}, {12, 13}, {15, 25}, {20, 52}, {25, 89}, {30, 137}, {50, 434}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        check_int(ranks_critical(tables[i].pairs), tables[i].critical);
}

/* Of many pairs the sum is as good as normally distributed. */
static void check_many_pairs(void)
{
    for (size_t pairs = 100; pairs <= RANKS_MOST; pairs += 100) {
        double n = (double)pairs, deviation = sqrt(n * (n + 1) * (2 * n + 1) / 24);
        double normal = n * (n + 1) / 4 - 1.96 * deviation;
        check(fabs((double)ranks_critical(pairs) - normal) < 0.02 * deviation);
    }
}

static void check_spread(void)
{
    const double odd[] = {3, 1, 2, 5, 4}, even[] = {4, 1, 3, 2}, one[] = {7};
    struct ranks_spread spread = ranks_spread(odd, 5);
    check(spread.least == 1 && spread.lower == 2 && spread.median == 3);
    check(spread.upper == 4 && spread.greatest == 5);
    spread = ranks_spread(even, 4);
    check(spread.median == 2.5 && spread.lower == 1.75 && spread.upper == 3.25);
    spread = ranks_spread(one, 1);
    check(spread.least == 7 && spread.lower == 7 && spread.median == 7 && spread.greatest == 7);
}

static void check_clear_cases(void)
{
    const double slow[] = {10, 10.1, 10.2, 10.3, 10.4, 10.5};
    const double fast[] = {5, 5.15, 5.05, 5.2, 5.15, 5.3};
    struct ranks_ratio ratio = ranks_compare(slow, fast, 6);
    check(ratio.has_bounds && ratio.low < ratio.middle && ratio.middle < ratio.high);
    check(ratio.middle > 0.49 && ratio.middle < 0.52 && ratio.high < 1);
    ratio = ranks_compare(fast, slow, 6);
    check(ratio.low > 1 && ratio.middle > 1.94 && ratio.middle < 2.04);
    ratio = ranks_compare(slow, slow, 6);
    check(ratio.middle == 1 && ratio.low == 1 && ratio.high == 1);
    check(!ranks_compare(slow, fast, 5).has_bounds);
}

/* A machine that becomes half as fast meanwhile hides nothing: the two of a pair share it. */
static void check_drift(void)
{
    const double without[] = {10, 11, 12.5, 14, 15, 17, 19, 20};
    double with[8];
    for (unsigned i = 0; i < 8; i++)
        with[i] = without[i] * (i % 2 ? 0.985 : 0.975);
    struct ranks_ratio ratio = ranks_compare(without, with, 8);
    check(ratio.middle > 0.979 && ratio.middle < 0.981);
    check(ratio.low > 0.974 && ratio.high < 0.986);
}

/* One run that was disturbed does not change what is said. */
static void check_outlier(void)
{
    const double slow[] = {10, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 10.7};
    const double disturbed[] = {9, 9.1, 9.3, 9.3, 90, 9.4, 9.6, 9.7};
    struct ranks_ratio ratio = ranks_compare(slow, disturbed, 8);
    check(ratio.middle < 0.92 && ratio.low < 0.91);
    check(ratio.high > 1); /* nor may it be left out */
}

/* Times with a long tail, as those of programs are. */
static double draw(struct rng *rng)
{
    double uniform = (double)(1 + rng_below(rng, 1000000)) / 1000000;
    return 1 + 0.05 * (1 / uniform < 20 ? 1 / uniform : 20);
}

/* Of samples that do not differ, at most 5 % may look as if they did. */
static void check_level(void)
{
    struct rng rng = {7};
    unsigned mistakes = 0;
    for (unsigned i = 0; i < TRIALS; i++) {
        double first[8], second[8];
        for (unsigned j = 0; j < 8; j++) {
            first[j] = draw(&rng);
            second[j] = draw(&rng);
        }
        struct ranks_ratio ratio = ranks_compare(first, second, 8);
        mistakes += ratio.low > 1 || ratio.high < 1;
    }
    tap_note("%u of %u comparisons of equals found a difference", mistakes, TRIALS);
    check(mistakes > TRIALS / 100 && mistakes < TRIALS * 5 / 100);
}

int main(void)
{
    check_tables();
    check_many_pairs();
    check_spread();
    check_clear_cases();
    check_drift();
    check_outlier();
    check_level();
    return tap_done();
}
