/* SPDX-License-Identifier: BSD-3-Clause */
/* Random runs against a map of granules: none is in two runs, and none is lost. */
#include "heap/runs.h"

#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "support/tap.h"

enum { GRANULES = 3000, OWNERS = 64, STEPS = 200000, EMPTY = 0 };

struct owner {
    uint32_t first, length; /* length 0: nothing */
};

static struct weft_heap_runs runs;
static unsigned char map[GRANULES]; /* whose each granule is, from 1 */
static struct owner owners[OWNERS];

/* False if a granule was not of whom we thought. */
static bool paint(uint32_t first, uint32_t length, unsigned from, unsigned to)
{
    for (uint32_t i = first; i < first + length; i++) {
        if (i >= GRANULES || map[i] != from)
            return false;
        map[i] = (unsigned char)to;
    }
    return true;
}

static bool has_room(uint32_t length, uint32_t alignment)
{
    for (uint32_t first = 0; first + length <= GRANULES; first += alignment) {
        uint32_t free = 0;
        while (free < length && map[first + free] == EMPTY)
            free++;
        if (free == length)
            return true;
    }
    return false;
}

static bool take(unsigned who, struct rng *rng)
{
    uint32_t length = (uint32_t)rng_magnitude(rng, GRANULES / 8);
    uint32_t alignment = rng_one_in(rng, 4) ? UINT32_C(1) << rng_below(rng, 7) : 1;
    uint32_t first = weft_heap_runs_take(&runs, length, alignment);
    if (first == WEFT_HEAP_RUNS_NONE)
        return !has_room(length, alignment);
    owners[who] = (struct owner){first, length};
    return first % alignment == 0 && weft_heap_runs_length(&runs, first) == length &&
           first + length <= runs.top && paint(first, length, EMPTY, who + 1);
}

static bool give(unsigned who)
{
    struct owner owner = owners[who];
    owners[who].length = 0;
    weft_heap_runs_give(&runs, owner.first);
    return weft_heap_runs_length(&runs, owner.first) == 0 &&
           paint(owner.first, owner.length, who + 1, EMPTY);
}

static bool resize(unsigned who, struct rng *rng)
{
    struct owner *owner = &owners[who];
    uint32_t length = (uint32_t)rng_magnitude(rng, GRANULES / 8), old = owner->length;
    bool is_done = weft_heap_runs_resize(&runs, owner->first, length);
    uint32_t end = owner->first + length, i = owner->first + old;
    while (i < end && i < GRANULES && map[i] == EMPTY)
        i++;
    if (is_done != (length <= old || (i == end && end <= GRANULES)))
        return false;
    if (!is_done)
        return weft_heap_runs_length(&runs, owner->first) == old;
    owner->length = length;
    if (weft_heap_runs_length(&runs, owner->first) != length)
        return false;
    return length > old ? paint(owner->first + old, length - old, EMPTY, who + 1)
                        : paint(end, old - length, who + 1, EMPTY);
}

static bool step(struct rng *rng)
{
    unsigned who = (unsigned)rng_below(rng, OWNERS);
    if (owners[who].length == 0)
        return take(who, rng);
    return rng_one_in(rng, 2) ? give(who) : resize(who, rng);
}

static void runs_never_meet(uint64_t seed)
{
    struct rng rng = rng_stream(seed, 0);
    void *memory = calloc(1, weft_heap_runs_bytes(GRANULES));
    weft_heap_runs_open(&runs, memory, GRANULES);
    int fine = 0;
    while (fine < STEPS && step(&rng))
        fine++;
    check_int(fine, STEPS);
    for (unsigned who = 0; who < OWNERS; who++)
        if (owners[who].length)
            check(give(who));
    /* All of it is one run again. */
    check_uint(weft_heap_runs_take(&runs, GRANULES, 1), 0);
    check_uint(weft_heap_runs_take(&runs, 1, 1), WEFT_HEAP_RUNS_NONE);
    free(memory);
}

int main(int argc, char **argv)
{
    runs_never_meet(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
    return tap_done();
}
