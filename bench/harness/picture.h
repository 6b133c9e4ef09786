/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_BENCH_HARNESS_PICTURE_H
#define WEFT_BENCH_HARNESS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A contiguous piece of memory, as a displacement from the address of the first element. */
struct weft_span {
    int64_t at;
    uint64_t length;
};

/* Draws where the first pieces lie in memory, 80 columns wide. `more` says that the type has
 * pieces beyond those given. */
void weft_picture_print(const struct weft_span *pieces, size_t count, bool more);

#endif
