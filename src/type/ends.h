/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefix sums with an index. end[i] is the packed offset at which entry i ends. bucket[j] is the
 * first entry that ends after packed offset j << shift, with about two entries to a bucket, so a
 * search costs one look-up and one or two comparisons, two or three cache lines whatever the
 * number of entries; at worst, when all entries crowd into one bucket, log2(count) comparisons.
 */
#ifndef WEFT_TYPE_ENDS_H
#define WEFT_TYPE_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_type_ends {
    const void *end; /* 32-bit, or 64-bit if wide */
    const uint32_t *bucket;
    bool has_buckets; /* if not, all entries are searched */
    uint8_t shift;
    bool wide;
};

static inline uint64_t weft_type_ends_at(const struct weft_type_ends *ends, uint64_t i)
{
    return ends->wide ? ((const uint64_t *)ends->end)[i] : ((const uint32_t *)ends->end)[i];
}

static inline uint64_t weft_type_ends_start(const struct weft_type_ends *ends, uint64_t i)
{
    return i ? weft_type_ends_at(ends, i - 1) : 0;
}

/* The entry that holds packed byte `offset`, which must lie before the last end. Comparisons are
 * added to *steps. */
static inline uint64_t weft_type_ends_find(const struct weft_type_ends *ends, uint64_t count,
                                           uint64_t offset, unsigned *steps)
{
    uint64_t low = 0, left = count - 1;
    if (ends->has_buckets) {
        const uint32_t *bucket = &ends->bucket[offset >> ends->shift];
        low = bucket[0];
        left = bucket[1] - low;
    }
    /* The entry is one of [low, low + left]. No branch depends on what is found: it could not be
     * predicted. */
    while (left) {
        uint64_t half = (left + 1) / 2;
        uint64_t after = weft_type_ends_at(ends, low + half - 1) <= offset;
        low += half & -after;
        left -= half;
        ++*steps;
    }
    return low;
}

#endif
