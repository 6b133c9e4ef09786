/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens when, in virtual time: the earliest first, and of those at one time the one that
 * was put in first. An event of which there is at most one at a time (a timer) can be moved and
 * dropped: its owner keeps the place of it, so that outdated ones never pile up.
 */
#ifndef WEFT_SIM_HEAP_H
#define WEFT_SIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_sim_heap_item {
    uint64_t time;
    uint64_t order;
    void *payload;
    uint32_t *place; /* NULL if nobody follows it */
    uint32_t kind;
};

/* Starts as zeros. */
struct weft_sim_heap {
    struct weft_sim_heap_item *items;
    uint32_t count;
    uint32_t room;
    uint64_t order;
};

void weft_sim_heap_fini(struct weft_sim_heap *heap);

/* False without memory. */
bool weft_sim_heap_push(struct weft_sim_heap *heap, uint64_t time, uint32_t kind, void *payload);

/* The one item of `place`, which is 0 while there is none: put in, or moved to another time. */
bool weft_sim_heap_set(struct weft_sim_heap *heap, uint32_t *place, uint64_t time, uint32_t kind,
                       void *payload);
void weft_sim_heap_drop(struct weft_sim_heap *heap, uint32_t *place);

/* NULL if it is empty; good until the heap is changed. */
static inline const struct weft_sim_heap_item *
weft_sim_heap_first(const struct weft_sim_heap *heap)
{
    return heap->count ? heap->items : NULL;
}

/* Takes out the first of a heap that is not empty. */
struct weft_sim_heap_item weft_sim_heap_pop(struct weft_sim_heap *heap);

#endif
