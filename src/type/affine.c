/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/affine.h"

#include <stdlib.h>

#include <weft.h>

/* A stretch shorter than this stays in its list: a loop node and a place in a seq take about as
 * much memory as the entries, and a run of its own about as much time as it saves. */
#define MIN_STRETCH 64

/* Differences are only compared, so they may wrap. */
static uint64_t step_after(const struct weft_type_entry *entries, uint64_t i)
{
    return (uint64_t)entries[i + 1].at - (uint64_t)entries[i].at;
}

bool weft_type_affine_even(const struct weft_type_entry *entries, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        if (entries[i].copies != entries[0].copies)
            return false;
    return true;
}

bool weft_type_affine_step(const struct weft_type_entry *entries, uint64_t count, int64_t *step)
{
    *step = count > 1 ? (int64_t)step_after(entries, 0) : 0;
    for (uint64_t i = 1; i + 1 < count; i++)
        if (step_after(entries, i) != (uint64_t)*step)
            return false;
    return true;
}

static bool alike(const struct weft_type_entry *entries, uint64_t i, uint64_t j)
{
    return entries[i].copies == entries[j].copies &&
           step_after(entries, i) == step_after(entries, j);
}

/* How many entries at either end of a list tell that it does not repeat. */
#define PROBE 8u

static bool may_have_period(const struct weft_type_entry *entries, uint64_t steps, uint64_t period)
{
    for (uint64_t i = 0; i < PROBE && i + period < steps; i++)
        if (!alike(entries, i, i + period) ||
            !alike(entries, steps - 1 - i, steps - 1 - i - period))
            return false;
    return true;
}

/* Only what divides the count can be a period, and shuffled lists show at once that it is none. */
static bool may_repeat(const struct weft_type_entry *entries, uint64_t count)
{
    for (uint64_t part = 1; part <= count / part; part++)
        if (count % part == 0 && (may_have_period(entries, count - 1, part) ||
                                  (part > 1 && may_have_period(entries, count - 1, count / part))))
            return true;
    return false;
}

int weft_type_affine_period(const struct weft_type_entry *entries, uint64_t count,
                            uint64_t *period, int64_t *step)
{
    *period = count;
    *step = 0;
    if (count < 4 || !may_repeat(entries, count))
        return WEFT_OK;
    /* The prefix function of Knuth, Morris and Pratt, over (copies, step to the next). The last
     * entry has no next one and is looked at afterwards. */
    uint64_t n = count - 1;
    uint64_t *border = malloc(n * sizeof(*border));
    if (!border)
        return WEFT_ERR_MEMORY;
    border[0] = 0;
    for (uint64_t i = 1, k = 0; i < n; i++) {
        while (k && !alike(entries, i, k))
            k = border[k - 1];
        k += alike(entries, i, k);
        border[i] = k;
    }
    uint64_t shortest = n - border[n - 1];
    free(border);
    if (shortest <= count / 2 && count % shortest == 0 &&
        entries[count - 1].copies == entries[count - 1 - shortest].copies) {
        *period = shortest;
        *step = (int64_t)((uint64_t)entries[shortest].at - (uint64_t)entries[0].at);
    }
    return WEFT_OK;
}

/* One past the last entry of the stretch that begins at `first`. */
static uint64_t stretch_end(const struct weft_type_entry *entries, uint64_t count, uint64_t first)
{
    uint64_t end = first + 1;
    while (end < count && entries[end].copies == entries[first].copies &&
           (end == first + 1 || step_after(entries, end - 1) == step_after(entries, first)))
        end++;
    return end;
}

/* Half of the shortest stretch that is a segment: each has all of one such window. */
#define WINDOW (MIN_STRETCH / 2)

static bool may_have_stretch(const struct weft_type_entry *entries, uint64_t count)
{
    for (uint64_t end = WINDOW; end <= count; end += WINDOW)
        if (stretch_end(entries, end, end - WINDOW) == end)
            return true;
    return false;
}

uint64_t weft_type_affine_segments(const struct weft_type_entry *entries, uint64_t count,
                                   uint64_t *starts)
{
    if (count > 0 && !may_have_stretch(entries, count)) {
        if (starts)
            starts[0] = 0;
        return 1;
    }
    uint64_t segments = 0;
    bool open = false; /* an irregular segment that can take more */
    for (uint64_t i = 0; i < count;) {
        uint64_t end = stretch_end(entries, count, i);
        bool stretch = end - i >= MIN_STRETCH;
        if (stretch || !open) {
            if (starts)
                starts[segments] = i;
            segments++;
        }
        open = !stretch;
        /* A short stretch's last entry may be the first of a long one. */
        i = stretch || end == count || end == i + 1 ? end : end - 1;
    }
    return segments;
}
