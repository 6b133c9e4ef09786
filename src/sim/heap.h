/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timers: the earliest first, and of those at one time the one with the lowest order. Each is set
 * once at a time and can be moved and dropped: it knows its place, so that outdated ones never
 * pile up.
 */
#ifndef WEFT_SIM_HEAP_H
#define WEFT_SIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Belongs to its user, who must not move it while it is set. */
struct weft_sim_timer {
    void (*act)(void *argument);
    void *argument;
    uint32_t place; /* in the heap, from 1; 0 while it is not set */
};

struct weft_sim_heap_item {
    uint64_t time;
    uint64_t order;
    struct weft_sim_timer *timer;
};

/* Starts as zeros. */
struct weft_sim_heap {
    struct weft_sim_heap_item *items;
    uint32_t count;
    uint32_t room;
};

void weft_sim_heap_fini(struct weft_sim_heap *heap);

/* Put in, or moved to another time; set again for the same time, it keeps its order. False without
 * memory. */
bool weft_sim_heap_set(struct weft_sim_heap *heap, struct weft_sim_timer *timer, uint64_t time,
                       uint64_t order);
void weft_sim_heap_drop(struct weft_sim_heap *heap, struct weft_sim_timer *timer);

/* NULL if it is empty; good until the heap is changed. */
static inline const struct weft_sim_heap_item *
weft_sim_heap_first(const struct weft_sim_heap *heap)
{
    return heap->count ? heap->items : NULL;
}

/* Takes out the first of a heap that is not empty. */
struct weft_sim_timer *weft_sim_heap_pop(struct weft_sim_heap *heap);

#endif
