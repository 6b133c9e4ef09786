/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_BENCH_LAYOUTS_FIND_PIECE_H
#define WEFT_BENCH_LAYOUTS_FIND_PIECE_H

#include <stddef.h>

/* Which of `count` pieces holds packed byte `offset`, by the offsets that they start at. */
static inline size_t find_piece(const size_t *start, size_t count, size_t offset)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (start[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
