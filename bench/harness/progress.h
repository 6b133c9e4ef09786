/* SPDX-License-Identifier: BSD-3-Clause */
/* One line on standard error, if that is a terminal. */
#ifndef WEFT_BENCH_HARNESS_PROGRESS_H
#define WEFT_BENCH_HARNESS_PROGRESS_H

#include <stddef.h>

void progress_show(size_t done, size_t all, const char *what);
void progress_clear(void);

#endif
