/* SPDX-License-Identifier: BSD-3-Clause */
/* UCX's own benchmark, run as two processes on the cores of the pair. */
#ifndef WEFT_BENCH_HARNESS_PERFTEST_H
#define WEFT_BENCH_HARNESS_PERFTEST_H

#include <stdbool.h>
#include <stddef.h>

bool perftest_is_here(void);

/* UCX_TLS of all tests from now on; the text must stay. */
void perftest_over(const char *transports);

/* Seconds of one message as the test counts it; 0 if it failed, having said so. */
double perftest_seconds(const char *test, size_t size, size_t count);

#endif
