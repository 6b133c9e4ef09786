/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One sender, one receiver, slots of one size. The sender fills a slot in place and then stores
 * its word; the receiver waits for the word of the slot that comes next, so there is no shared
 * head to read. Sequence numbers run from 1 and tell this lap's word from the last lap's.
 *
 * Room is given back through `consumed`, a counter in a line of its own: the receiver writes it
 * once per quarter of the ring and the sender reads it when the room that it knows of is used up.
 */
#ifndef WEFT_WORLD_SHM_RING_H
#define WEFT_WORLD_SHM_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/shm/segment.h"

struct weft_shm_ring_slot {
    unsigned char unused[16];
    _Atomic uint64_t word; /* size << 32 | sequence */
    unsigned char packet[];
};

static_assert(offsetof(struct weft_shm_ring_slot, packet) == 24, "layout");

static inline struct weft_shm_ring_slot *weft_shm_ring_next(struct weft_shm_ring_slot *slot,
                                                            size_t stride, unsigned char *first,
                                                            unsigned char *end)
{
    unsigned char *next = (unsigned char *)slot + stride;
    return (struct weft_shm_ring_slot *)(void *)(next == end ? first : next);
}

/* ---- The sender's end ---------------------------------------------------------------------- */

/* All zeros: a ring that never has room. */
struct weft_shm_ring_out {
    struct weft_shm_ring_slot *slot; /* the next to be written */
    uint32_t sequence;               /* of the last one written */
    uint32_t limit;                  /* the last that has room, as far as we know */
    uint32_t slots;
    size_t stride;
    unsigned char *first;
    unsigned char *end;
    const _Atomic uint32_t *consumed;
};

static inline struct weft_shm_ring_out weft_shm_ring_out(const struct weft_shm_claim *claim)
{
    uint32_t slots = weft_shm_segment_slots(&claim->shape, claim->ring);
    return (struct weft_shm_ring_out){
        .slot = (struct weft_shm_ring_slot *)(void *)claim->slots,
        .limit = slots,
        .slots = slots,
        .stride = claim->shape.stride,
        .first = claim->slots,
        .end = claim->slots + slots * claim->shape.stride,
        .consumed = &claim->gate->consumed,
    };
}

/* A receiver that writes nonsense to `consumed` only makes us overwrite its own ring. */
static inline bool weft_shm_ring_has_room(struct weft_shm_ring_out *ring)
{
    if (ring->sequence != ring->limit)
        return true;
    if (!ring->consumed)
        return false;
    /* Acquire: the receiver has read the slot before we write it again. */
    ring->limit = atomic_load_explicit(ring->consumed, memory_order_acquire) + ring->slots;
    return ring->sequence != ring->limit;
}

static inline void weft_shm_ring_commit(struct weft_shm_ring_out *ring, size_t size)
{
    ring->sequence++;
    atomic_store_explicit(&ring->slot->word, (uint64_t)size << 32 | ring->sequence,
                          memory_order_release);
    ring->slot = weft_shm_ring_next(ring->slot, ring->stride, ring->first, ring->end);
}

/* ---- The receiver's end -------------------------------------------------------------------- */

/* `slot` and `expected` are atomic for weft_ring_seems_full only, which other threads call. */
struct weft_shm_ring_in {
    _Atomic(struct weft_shm_ring_slot *) slot; /* the next to be read */
    _Atomic uint32_t expected;                 /* its sequence */
    uint32_t report;                           /* `consumed` is written when this one was read */
    uint32_t quarter;
    size_t stride;
    unsigned char *first;
    unsigned char *end;
    _Atomic uint32_t *consumed;
};

static inline void weft_shm_ring_in(struct weft_shm_ring_in *ring,
                                    const struct weft_shm_segment *segment, uint32_t index)
{
    const struct weft_shm_segment_shape *shape = &segment->shape;
    uint32_t slots = weft_shm_segment_slots(shape, index);
    ring->first = weft_shm_segment_ring(segment, index);
    ring->end = ring->first + slots * shape->stride;
    ring->stride = shape->stride;
    ring->quarter = slots < 4 ? 1 : slots / 4;
    ring->report = ring->quarter;
    ring->consumed = &segment->gates[index].consumed;
    atomic_store_explicit(&ring->slot, (struct weft_shm_ring_slot *)(void *)ring->first,
                          memory_order_relaxed);
    atomic_store_explicit(&ring->expected, 1, memory_order_relaxed);
}

/* The next packet or NULL. `size` is what the sender says. */
static inline const void *weft_shm_ring_peek(const struct weft_shm_ring_in *ring, uint32_t *size)
{
    const struct weft_shm_ring_slot *slot =
        atomic_load_explicit(&ring->slot, memory_order_relaxed);
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
    *size = (uint32_t)(word >> 32);
    uint32_t expected = atomic_load_explicit(&ring->expected, memory_order_relaxed);
    return (uint32_t)word == expected ? slot->packet : NULL;
}

static inline void weft_shm_ring_release(struct weft_shm_ring_in *ring)
{
    struct weft_shm_ring_slot *slot = atomic_load_explicit(&ring->slot, memory_order_relaxed);
    uint32_t read = atomic_load_explicit(&ring->expected, memory_order_relaxed);
    slot = weft_shm_ring_next(slot, ring->stride, ring->first, ring->end);
    atomic_store_explicit(&ring->slot, slot, memory_order_relaxed);
    atomic_store_explicit(&ring->expected, read + 1, memory_order_relaxed);
    if (read == ring->report) {
        atomic_store_explicit(ring->consumed, read, memory_order_release);
        ring->report = read + ring->quarter;
    }
}

#endif
