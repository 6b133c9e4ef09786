/* SPDX-License-Identifier: BSD-3-Clause */
/* What earlier runs have printed: tables whose headings begin with #. */
#ifndef WEFT_BENCH_HARNESS_STORED_H
#define WEFT_BENCH_HARNESS_STORED_H

#include <stdbool.h>

/* Calls for each line of each file, up to NULL; false, having said why, if one cannot be read. */
bool stored_read(const char *const *files, void (*take)(const char *line));

#endif
