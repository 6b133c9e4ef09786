/* SPDX-License-Identifier: BSD-3-Clause */
/* What --check looks at: a figure, the bar, and whether it holds. */
#ifndef WEFT_BENCH_HARNESS_BAR_H
#define WEFT_BENCH_HARNESS_BAR_H

#include <stdbool.h>
#include <stddef.h>

struct bar {
    const char *what;
    double limit;
    bool at_least;       /* the figure must not be below; else not above */
    double figure;       /* 0 if it could not be measured */
    const char *skipped; /* why there is no figure */
};

bool bar_is_missed(const struct bar *bar);

/* One line for each, or an array of a JSON object that is open. Returns how many are missed. */
size_t bar_report(const struct bar *bars, size_t count, bool json);

#endif
