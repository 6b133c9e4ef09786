/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/runs.h"

#include <assert.h>

struct weft_heap_run {
    uint32_t length : 31; /* 0: no run begins or ends here */
    uint32_t is_used : 1;
    uint32_t next, previous; /* free runs of the class, at the first granule */
};

static unsigned class_of(uint32_t length)
{
    return 31u - (unsigned)__builtin_clz(length);
}

size_t weft_heap_runs_bytes(uint32_t count)
{
    return (size_t)count * sizeof(struct weft_heap_run);
}

/* ---- Free runs ---------------------------------------------------------------------------- */

static void mark(struct weft_heap_runs *runs, uint32_t first, uint32_t length, bool is_used)
{
    struct weft_heap_run *head = &runs->of[first], *tail = &runs->of[first + length - 1];
    head->length = tail->length = length & 0x7fffffffu;
    head->is_used = tail->is_used = is_used;
}

static void link_free(struct weft_heap_runs *runs, uint32_t first, uint32_t length)
{
    uint32_t *vacant = &runs->vacant[class_of(length)];
    mark(runs, first, length, false);
    runs->of[first].next = *vacant;
    runs->of[first].previous = WEFT_HEAP_RUNS_NONE;
    if (*vacant != WEFT_HEAP_RUNS_NONE)
        runs->of[*vacant].previous = first;
    *vacant = first;
}

static void unlink_free(struct weft_heap_runs *runs, uint32_t first)
{
    const struct weft_heap_run *run = &runs->of[first];
    if (run->previous == WEFT_HEAP_RUNS_NONE)
        runs->vacant[class_of(run->length)] = run->next;
    else
        runs->of[run->previous].next = run->next;
    if (run->next != WEFT_HEAP_RUNS_NONE)
        runs->of[run->next].previous = run->previous;
}

/* With the free runs on both sides of it, if there are any. */
static void free_range(struct weft_heap_runs *runs, uint32_t first, uint32_t length)
{
    uint32_t end = first + length;
    if (end < runs->count && !runs->of[end].is_used) {
        length += runs->of[end].length;
        unlink_free(runs, end);
    }
    if (first > 0 && !runs->of[first - 1].is_used) {
        uint32_t before = runs->of[first - 1].length;
        first -= before;
        length += before;
        unlink_free(runs, first);
    }
    link_free(runs, first, length);
}

void weft_heap_runs_open(struct weft_heap_runs *runs, void *memory, uint32_t count)
{
    assert(count > 0 && count <= WEFT_HEAP_RUNS_MOST);
    *runs = (struct weft_heap_runs){.of = memory, .count = count};
    for (unsigned i = 0; i < WEFT_HEAP_RUNS_CLASSES; i++)
        runs->vacant[i] = WEFT_HEAP_RUNS_NONE;
    link_free(runs, 0, count);
}

/* ---- Runs in use -------------------------------------------------------------------------- */

/* What is in front of the first place in a free run that fits; or NONE. */
static uint32_t waste_in_front(const struct weft_heap_runs *runs, uint32_t first, uint32_t length,
                               uint32_t alignment)
{
    uint32_t waste = (alignment - first % alignment) % alignment;
    uint32_t room = runs->of[first].length;
    return waste < room && room - waste >= length ? waste : WEFT_HEAP_RUNS_NONE;
}

static uint32_t find(const struct weft_heap_runs *runs, uint32_t length, uint32_t alignment)
{
    for (unsigned class = class_of(length); class < WEFT_HEAP_RUNS_CLASSES; class ++)
        for (uint32_t first = runs->vacant[class]; first != WEFT_HEAP_RUNS_NONE;
             first = runs->of[first].next)
            if (waste_in_front(runs, first, length, alignment) != WEFT_HEAP_RUNS_NONE)
                return first;
    return WEFT_HEAP_RUNS_NONE;
}

/* Makes the first part of a range that is in no list a run in use; the rest stays free. */
static void occupy(struct weft_heap_runs *runs, uint32_t first, uint32_t length, uint32_t room)
{
    mark(runs, first, length, true);
    if (room > length)
        link_free(runs, first + length, room - length);
    if (runs->top < first + length)
        runs->top = first + length;
}

uint32_t weft_heap_runs_take(struct weft_heap_runs *runs, uint32_t length, uint32_t alignment)
{
    if (length == 0 || length > runs->count)
        return WEFT_HEAP_RUNS_NONE;
    uint32_t first = find(runs, length, alignment);
    if (first == WEFT_HEAP_RUNS_NONE)
        return WEFT_HEAP_RUNS_NONE;
    uint32_t waste = waste_in_front(runs, first, length, alignment);
    uint32_t room = runs->of[first].length;
    unlink_free(runs, first);
    if (waste)
        link_free(runs, first, waste);
    occupy(runs, first + waste, length, room - waste);
    return first + waste;
}

uint32_t weft_heap_runs_length(const struct weft_heap_runs *runs, uint32_t first)
{
    return first < runs->count && runs->of[first].is_used ? runs->of[first].length : 0;
}

/* The marks go, so that what is given back twice is not taken for a run. */
static void unmark(struct weft_heap_runs *runs, uint32_t first, uint32_t length)
{
    runs->of[first] = runs->of[first + length - 1] = (struct weft_heap_run){0};
}

void weft_heap_runs_give(struct weft_heap_runs *runs, uint32_t first)
{
    uint32_t length = weft_heap_runs_length(runs, first);
    assert(length);
    unmark(runs, first, length);
    free_range(runs, first, length);
}

static bool grow(struct weft_heap_runs *runs, uint32_t first, uint32_t old, uint32_t length)
{
    uint32_t end = first + old;
    if (end >= runs->count || runs->of[end].is_used || runs->of[end].length < length - old)
        return false;
    uint32_t room = old + runs->of[end].length;
    unlink_free(runs, end);
    unmark(runs, first, old);
    occupy(runs, first, length, room);
    return true;
}

bool weft_heap_runs_resize(struct weft_heap_runs *runs, uint32_t first, uint32_t length)
{
    uint32_t old = weft_heap_runs_length(runs, first);
    if (length > old)
        return grow(runs, first, old, length);
    if (length < old) {
        unmark(runs, first, old);
        mark(runs, first, length, true);
        free_range(runs, first + length, old - length);
    }
    return true;
}
