/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/ring.h"

#include <stdatomic.h>
#include <stdlib.h>

#define MOST_RECORDS (UINT64_C(1) << 32)
#define WORDS 6

/* The state is 2 n + 1 while record n is being written, 2 n + 2 when it is whole, and 0 before
 * the first. Words are stored with release and loaded with acquire, so that whoever has seen one
 * of a newer record also sees its state. */
struct slot {
    _Atomic uint64_t state;
    _Atomic uint64_t words[WORDS];
};

struct weft_trace_ring {
    _Atomic uint64_t next;
    uint64_t mask;
    struct slot slots[];
};

static uint64_t being_written(uint64_t number)
{
    return 2 * number + 1;
}

static uint64_t is_whole(uint64_t number)
{
    return 2 * number + 2;
}

struct weft_trace_ring *weft_trace_ring_open(uint64_t records)
{
    uint64_t room = 1;
    if (records > MOST_RECORDS)
        return NULL;
    while (room < records)
        room *= 2;
    struct weft_trace_ring *ring = calloc(1, sizeof *ring + room * sizeof *ring->slots);
    if (ring)
        ring->mask = room - 1;
    return ring;
}

void weft_trace_ring_close(struct weft_trace_ring *ring)
{
    free(ring);
}

/* ---- Writing ------------------------------------------------------------------------------ */

static uint64_t pair(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* Only if the slot holds an older record that is whole: a thread that was held up for a round of
 * the ring must not disturb the one that has overtaken it. */
static bool claim(struct slot *slot, uint64_t number)
{
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    return state % 2 == 0 && state < being_written(number) &&
           atomic_compare_exchange_strong_explicit(&slot->state, &state, being_written(number),
                                                   memory_order_acquire, memory_order_relaxed);
}

void weft_trace_ring_add(struct weft_trace_ring *ring, const struct weft_trace_record *record)
{
    const struct weft_trace_line *trace = &record->trace;
    const uint64_t words[WORDS] = {trace->time,
                                   trace->a,
                                   trace->b,
                                   pair(trace->what, trace->peer_nid),
                                   pair(trace->peer_pid, record->nid),
                                   record->pid};
    uint64_t number = atomic_fetch_add_explicit(&ring->next, 1, memory_order_relaxed);
    struct slot *slot = &ring->slots[number & ring->mask];
    if (!claim(slot, number))
        return;
    for (unsigned i = 0; i < WORDS; i++)
        atomic_store_explicit(&slot->words[i], words[i], memory_order_release);
    atomic_store_explicit(&slot->state, is_whole(number), memory_order_release);
}

/* ---- Reading ------------------------------------------------------------------------------ */

uint64_t weft_trace_ring_total(const struct weft_trace_ring *ring)
{
    return atomic_load_explicit(&ring->next, memory_order_relaxed);
}

uint64_t weft_trace_ring_first(const struct weft_trace_ring *ring)
{
    uint64_t total = weft_trace_ring_total(ring);
    return total > ring->mask ? total - ring->mask - 1 : 0;
}

bool weft_trace_ring_read(const struct weft_trace_ring *ring, uint64_t number,
                          struct weft_trace_record *record)
{
    const struct slot *slot = &ring->slots[number & ring->mask];
    uint64_t words[WORDS];
    if (atomic_load_explicit(&slot->state, memory_order_acquire) != is_whole(number))
        return false;
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = atomic_load_explicit(&slot->words[i], memory_order_acquire);
    if (atomic_load_explicit(&slot->state, memory_order_relaxed) != is_whole(number))
        return false;
    *record = (struct weft_trace_record){.trace = {.time = words[0],
                                                   .a = words[1],
                                                   .b = words[2],
                                                   .what = (uint32_t)words[3],
                                                   .peer_nid = (uint32_t)(words[3] >> 32),
                                                   .peer_pid = (uint32_t)words[4]},
                                         .nid = (uint32_t)(words[4] >> 32),
                                         .pid = (uint32_t)words[5]};
    return true;
}
