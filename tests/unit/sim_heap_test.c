/* SPDX-License-Identifier: BSD-3-Clause */
/* The heap against the plainest model there is: a list that is searched for its least item. */
#include <stdint.h>

#include "base/random.h"
#include "sim/heap.h"
#include "support/tap.h"

#define MOST 2000u
#define TIMERS 20u

struct model_item {
    uint64_t time;
    uint64_t order;
    uint32_t kind;
    bool there;
};

/* The first TIMERS items are those that have a place. */
static struct model_item model[TIMERS + MOST];
static uint32_t places[TIMERS];
static unsigned used;
static uint64_t order;

static unsigned model_first(void)
{
    unsigned first = UINT32_MAX;
    for (unsigned i = 0; i < used; i++) {
        if (!model[i].there)
            continue;
        const struct model_item *a = &model[i];
        const struct model_item *b = first == UINT32_MAX ? NULL : &model[first];
        if (!b || a->time < b->time || (a->time == b->time && a->order < b->order))
            first = i;
    }
    return first;
}

static bool pop_both(struct weft_sim_heap *heap)
{
    unsigned first = model_first();
    if (first == UINT32_MAX)
        return !weft_sim_heap_first(heap);
    uint64_t seen = weft_sim_heap_first(heap)->time;
    struct weft_sim_heap_item item = weft_sim_heap_pop(heap);
    model[first].there = false;
    return item.payload == &model[first] && item.time == model[first].time && seen == item.time &&
           item.kind == model[first].kind && (first >= TIMERS || places[first] == 0);
}

static bool set_both(struct weft_sim_heap *heap, unsigned timer, uint64_t time)
{
    struct model_item *item = &model[timer];
    if (!item->there || item->time != time)
        item->order = order++;
    item->time = time;
    item->kind = timer;
    item->there = true;
    return weft_sim_heap_set(heap, &places[timer], time, timer, item);
}

static bool push_both(struct weft_sim_heap *heap, uint64_t time)
{
    struct model_item *item = &model[used++];
    *item = (struct model_item){.time = time, .order = order++, .kind = used, .there = true};
    return weft_sim_heap_push(heap, time, item->kind, item);
}

static bool drop_both(struct weft_sim_heap *heap, unsigned timer)
{
    weft_sim_heap_drop(heap, &places[timer]);
    model[timer].there = false;
    return places[timer] == 0;
}

static bool act(struct weft_sim_heap *heap, uint64_t random)
{
    unsigned timer = (unsigned)(random >> 32) % TIMERS;
    uint64_t time = (random >> 40) % 50;
    switch (random % 8) {
    case 0:
        return drop_both(heap, timer);
    case 1:
    case 2:
        return set_both(heap, timer, time);
    case 3:
    case 4:
    case 5:
        return used == TIMERS + MOST || push_both(heap, time);
    default:
        return pop_both(heap);
    }
}

int main(void)
{
    struct weft_sim_heap heap = {0};
    uint64_t random = 1;
    unsigned good = 0;
    unsigned done = 0;
    used = TIMERS;
    for (; done < 5000; done++)
        good += act(&heap, weft_random_next(&random));
    check_uint(good, done);
    check(heap.count > 100);
    unsigned left = heap.count;
    for (unsigned i = 0; i < left; i++)
        good += pop_both(&heap);
    check_uint(good, done + left);
    check(weft_sim_heap_first(&heap) == NULL);
    weft_sim_heap_fini(&heap);
    return tap_done();
}
