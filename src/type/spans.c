/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of a million entries in any order are committed in the middle of programs. So spans that
 * are in order are only compared with their neighbours; those that crowd are marked in a map of
 * bits, without listing them, and so are those that lie in cells of one size, as a field of each
 * record does; only those that are scattered widely are listed and sorted.
 */
#include "type/spans.h"

#include <stdlib.h>

static inline struct weft_type_span nth(const struct weft_type_spans *spans, uint64_t i)
{
    if (!spans->where)
        return spans->nth(spans, i);
    return (struct weft_type_span){spans->first.at + spans->where[i], spans->first.bytes};
}

/* ---- In order ----------------------------------------------------------------------------- */

enum verdict { DISJOINT, OVERLAP, OUT_OF_ORDER };

static enum verdict judge_neighbours(const struct weft_type_spans *spans)
{
    struct weft_type_span last = nth(spans, 0);
    for (uint64_t i = 1; i < spans->count; i++) {
        struct weft_type_span next = nth(spans, i);
        if (next.at < last.at)
            return OUT_OF_ORDER;
        if ((uint64_t)next.at - (uint64_t)last.at < last.bytes)
            return OVERLAP;
        last = next;
    }
    return DISJOINT;
}

/* ---- Crowded ------------------------------------------------------------------------------ */

/* All spans begin at multiples of 1 << shift bytes from `low`, and end at such or are shorter. */
struct extent {
    int64_t low;
    uint64_t bytes;
    unsigned shift;
    bool are_short; /* no span is longer than that, so those that begin apart are disjoint */
};

/* Of spans as long as each other, at 32-bit numbers. */
static struct extent measure_even(const struct weft_type_spans *spans)
{
    const int32_t *where = spans->where;
    int32_t low = where[0], high = low;
    uint32_t steps = 0;
    for (uint64_t i = 1; i < spans->count; i++) {
        low = where[i] < low ? where[i] : low;
        high = where[i] > high ? where[i] : high;
        steps |= (uint32_t)where[i] - (uint32_t)where[0];
    }
    unsigned cell = (unsigned)__builtin_ctz(steps);
    uint64_t bytes = spans->first.bytes;
    bool are_short = bytes <= UINT64_C(1) << cell;
    return (struct extent){spans->first.at + low, (uint64_t)((int64_t)high - low) + bytes,
                           are_short ? cell : (unsigned)__builtin_ctzll(steps | bytes), are_short};
}

static struct extent measure(const struct weft_type_spans *spans)
{
    if (spans->where)
        return measure_even(spans);
    const struct weft_type_span first = nth(spans, 0);
    int64_t low = first.at, high = first.at + (int64_t)first.bytes;
    uint64_t steps = 0, lengths = first.bytes, longest = first.bytes;
    for (uint64_t i = 1; i < spans->count; i++) {
        struct weft_type_span span = nth(spans, i);
        int64_t end = span.at + (int64_t)span.bytes;
        low = span.at < low ? span.at : low;
        high = end > high ? end : high;
        steps |= (uint64_t)span.at - (uint64_t)first.at;
        lengths |= span.bytes;
        longest = span.bytes > longest ? span.bytes : longest;
    }
    /* Out of order, so that not all begin in one place. */
    unsigned cell = (unsigned)__builtin_ctzll(steps);
    bool are_short = longest <= UINT64_C(1) << cell;
    return (struct extent){low, (uint64_t)high - (uint64_t)low,
                           are_short ? cell : (unsigned)__builtin_ctzll(steps | lengths),
                           are_short};
}

/* As much memory for the map as half a list of the spans would take. */
#define MAP_BITS 64

static bool is_crowded(const struct weft_type_spans *spans, const struct extent *extent)
{
    return (extent->bytes >> extent->shift) / MAP_BITS <= spans->count;
}

/* False if one of these bits had been set. */
static bool set_bits(uint64_t *map, uint64_t first, uint64_t count)
{
    for (uint64_t end = first + count; first < end;) {
        uint64_t here = 64 - first % 64;
        here = here < end - first ? here : end - first;
        uint64_t bits = ~UINT64_C(0) >> (64 - here) << first % 64;
        if (map[first / 64] & bits)
            return false;
        map[first / 64] |= bits;
        first += here;
    }
    return true;
}

static bool crowd_overlaps(const struct weft_type_spans *spans, const struct extent *extent)
{
    uint64_t *map = calloc((extent->bytes >> extent->shift) / 64 + 1, sizeof(*map));
    bool disjoint = map != NULL;
    for (uint64_t i = 0; i < spans->count && disjoint; i++) {
        struct weft_type_span span = nth(spans, i);
        disjoint = set_bits(map, ((uint64_t)span.at - (uint64_t)extent->low) >> extent->shift,
                            extent->are_short ? 1 : span.bytes >> extent->shift);
    }
    free(map);
    return !disjoint;
}

/* ---- Scattered ---------------------------------------------------------------------------- */

#define DIGIT_BITS 8
#define DIGITS (1u << DIGIT_BITS)

static unsigned digit_of(struct weft_type_span span, const struct extent *extent, unsigned shift)
{
    return (unsigned)(((uint64_t)span.at - (uint64_t)extent->low) >> shift) % DIGITS;
}

static void sort_by_digit(const struct weft_type_span *from, struct weft_type_span *to,
                          uint64_t count, const struct extent *extent, unsigned shift)
{
    uint64_t next[DIGITS] = {0}, place = 0;
    for (uint64_t i = 0; i < count; i++)
        next[digit_of(from[i], extent, shift)]++;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        uint64_t those = next[digit];
        next[digit] = place;
        place += those;
    }
    for (uint64_t i = 0; i < count; i++)
        to[next[digit_of(from[i], extent, shift)]++] = from[i];
}

static struct weft_type_span nth_listed(const struct weft_type_spans *spans, uint64_t i)
{
    return ((const struct weft_type_span *)spans->of)[i];
}

static bool sorted_overlap(const struct weft_type_spans *spans, const struct extent *extent)
{
    uint64_t count = spans->count;
    struct weft_type_span *list = calloc(count, 2 * sizeof(*list));
    if (!list)
        return true;
    for (uint64_t i = 0; i < count; i++)
        list[i] = nth(spans, i);
    struct weft_type_span *sorted = list, *other = list + count;
    for (unsigned shift = extent->shift; shift < 64 && extent->bytes >> shift;
         shift += DIGIT_BITS) {
        sort_by_digit(sorted, other, count, extent, shift);
        struct weft_type_span *swapped = sorted;
        sorted = other;
        other = swapped;
    }
    bool overlap = judge_neighbours(&(struct weft_type_spans){
                       .nth = nth_listed, .of = sorted, .count = count}) == OVERLAP;
    free(list);
    return overlap;
}

bool weft_type_spans_overlap(const struct weft_type_spans *spans)
{
    enum verdict verdict = judge_neighbours(spans);
    if (verdict != OUT_OF_ORDER)
        return verdict == OVERLAP;
    const struct extent extent = measure(spans);
    return is_crowded(spans, &extent) ? crowd_overlaps(spans, &extent)
                                      : sorted_overlap(spans, &extent);
}
