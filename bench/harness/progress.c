/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "bench/harness/measure.h"

#define SECONDS_BETWEEN_LINES 0.1

static bool is_shown;

void progress_show(size_t done, size_t all, const char *what)
{
    static double first, last;
    double now = measure_now();
    if (first == 0 || done == 0)
        first = now;
    if (!isatty(STDERR_FILENO) || now - last < SECONDS_BETWEEN_LINES)
        return;
    last = now;
    fprintf(stderr, "\r\033[K%zu of %zu: %s", done, all, what);
    if (done > 0)
        fprintf(stderr, ", %.0f s left", (now - first) / (double)done * (double)(all - done));
    fflush(stderr);
    is_shown = true;
}

void progress_clear(void)
{
    if (!is_shown)
        return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    is_shown = false;
}
