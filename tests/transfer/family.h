/* SPDX-License-Identifier: BSD-3-Clause */
/* A job of real processes, started by hand. The world is what the settings say. */
#ifndef WEFT_TESTS_TRANSFER_FAMILY_H
#define WEFT_TESTS_TRANSFER_FAMILY_H

#include <stddef.h>

/* Each process calls `live` and ends with its result, or after so many seconds. Checks that all
 * results are 0 and that nothing is left behind. */
void family_run(unsigned ranks, unsigned seconds, int (*live)(int rank, void *argument),
                void *argument);

/* Zeroed memory that the processes share. */
void *family_memory(size_t size);

#endif
