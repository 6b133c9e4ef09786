/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/heap.h"

#include <stdlib.h>

/* Four children: half the levels of a binary heap, and they lie side by side. */
#define CHILDREN 4u
#define FIRST_ROOM 64u

static bool before(const struct weft_sim_heap_item *a, const struct weft_sim_heap_item *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void put(struct weft_sim_heap *heap, uint32_t index, const struct weft_sim_heap_item *item)
{
    heap->items[index] = *item;
    item->timer->place = index + 1;
}

/* Both move the gap at `index` to where `item` belongs, and put it there. */
static void rise(struct weft_sim_heap *heap, uint32_t index, const struct weft_sim_heap_item *item)
{
    while (index > 0) {
        uint32_t parent = (index - 1) / CHILDREN;
        if (!before(item, &heap->items[parent]))
            break;
        put(heap, index, &heap->items[parent]);
        index = parent;
    }
    put(heap, index, item);
}

static void sink(struct weft_sim_heap *heap, uint32_t index, const struct weft_sim_heap_item *item)
{
    for (;;) {
        uint32_t child = index * CHILDREN + 1;
        if (child >= heap->count)
            break;
        uint32_t end = heap->count - child < CHILDREN ? heap->count : child + CHILDREN;
        uint32_t least = child;
        while (++child < end)
            if (before(&heap->items[child], &heap->items[least]))
                least = child;
        if (!before(&heap->items[least], item))
            break;
        put(heap, index, &heap->items[least]);
        index = least;
    }
    put(heap, index, item);
}

static void settle(struct weft_sim_heap *heap, uint32_t index, struct weft_sim_heap_item item)
{
    if (index > 0 && before(&item, &heap->items[(index - 1) / CHILDREN]))
        rise(heap, index, &item);
    else
        sink(heap, index, &item);
}

static void take_out(struct weft_sim_heap *heap, uint32_t index)
{
    heap->items[index].timer->place = 0;
    heap->count--;
    if (index < heap->count)
        settle(heap, index, heap->items[heap->count]);
}

static bool make_room(struct weft_sim_heap *heap)
{
    if (heap->count < heap->room)
        return true;
    uint32_t room = heap->room ? 2 * heap->room : FIRST_ROOM;
    struct weft_sim_heap_item *items =
        room > heap->room ? realloc(heap->items, room * sizeof *items) : NULL;
    if (!items)
        return false;
    heap->items = items;
    heap->room = room;
    return true;
}

bool weft_sim_heap_set(struct weft_sim_heap *heap, struct weft_sim_timer *timer, uint64_t time,
                       uint64_t order)
{
    struct weft_sim_heap_item item = {.time = time, .order = order, .timer = timer};
    if (timer->place == 0) {
        if (!make_room(heap))
            return false;
        rise(heap, heap->count++, &item);
    } else if (heap->items[timer->place - 1].time != time) {
        settle(heap, timer->place - 1, item);
    }
    return true;
}

void weft_sim_heap_drop(struct weft_sim_heap *heap, struct weft_sim_timer *timer)
{
    if (timer->place)
        take_out(heap, timer->place - 1);
}

struct weft_sim_timer *weft_sim_heap_pop(struct weft_sim_heap *heap)
{
    struct weft_sim_timer *first = heap->items[0].timer;
    take_out(heap, 0);
    return first;
}

void weft_sim_heap_fini(struct weft_sim_heap *heap)
{
    free(heap->items);
    *heap = (struct weft_sim_heap){0};
}
