/* SPDX-License-Identifier: BSD-3-Clause */
/* What earlier runs have printed: tables whose headings begin with #. */
#ifndef WEFT_BENCH_HARNESS_STORED_H
#define WEFT_BENCH_HARNESS_STORED_H

#include "bench/harness/bench_options.h"

/* Calls for each line of each file of turns->from, which needs turns->plot; false, having said
 * why, if one cannot be read. */
bool stored_read(const struct bench_turns *turns, void (*take)(const char *line, void *context),
                 void *context);

#endif
