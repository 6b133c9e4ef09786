/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_BASE_MEDIAN_H
#define WEFT_BASE_MEDIAN_H

#include <stdint.h>

/* Of a few values, which it sorts; the lower one if there are two. */
static inline uint32_t weft_median(uint32_t values[], unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned at = i; at > 0 && values[at] < values[at - 1]; at--) {
            uint32_t less = values[at];
            values[at] = values[at - 1];
            values[at - 1] = less;
        }
    return values[(count - 1) / 2];
}

#endif
