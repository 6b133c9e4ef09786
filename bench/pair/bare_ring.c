/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/bare_ring.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ROUNDS_PER_YIELD 4096

struct slot {
    _Atomic uint64_t is_full;
    unsigned char bytes[];
};

/* An odd number of pairs of cache lines, as Weft has it: the slots spread over all sets. */
static size_t stride_of(size_t packet)
{
    size_t pairs = (sizeof(struct slot) + packet + 127) / 128;
    return (pairs | 1) * 128;
}

size_t bare_ring_bytes(size_t count, size_t packet)
{
    return count * stride_of(packet);
}

struct bare_ring bare_ring_at(void *memory, size_t count, size_t packet)
{
    return (struct bare_ring){memory, count, packet, stride_of(packet), 0};
}

void bare_ring_relax(unsigned round)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    if (round % ROUNDS_PER_YIELD == ROUNDS_PER_YIELD - 1)
        sched_yield();
}

/* The next slot, once it is full or empty. */
static struct slot *wait_for(struct bare_ring *ring, bool full)
{
    struct slot *slot = (struct slot *)(void *)(ring->slots + ring->next * ring->stride);
    ring->next = ring->next + 1 == ring->count ? 0 : ring->next + 1;
    for (unsigned round = 0;
         (atomic_load_explicit(&slot->is_full, memory_order_acquire) != 0) != full; round++)
        bare_ring_relax(round);
    return slot;
}

static size_t part_of(const struct bare_ring *ring, size_t left)
{
    return left < ring->packet ? left : ring->packet;
}

void bare_ring_send(struct bare_ring *ring, const void *message, size_t size)
{
    const unsigned char *from = message;
    do {
        size_t part = part_of(ring, size);
        struct slot *slot = wait_for(ring, false);
        memcpy(slot->bytes, from, part);
        atomic_store_explicit(&slot->is_full, 1, memory_order_release);
        from += part;
        size -= part;
    } while (size > 0);
}

void bare_ring_receive(struct bare_ring *ring, void *message, size_t size)
{
    unsigned char *to = message;
    do {
        size_t part = part_of(ring, size);
        struct slot *slot = wait_for(ring, true);
        memcpy(to, slot->bytes, part);
        atomic_store_explicit(&slot->is_full, 0, memory_order_release);
        to += part;
        size -= part;
    } while (size > 0);
}
