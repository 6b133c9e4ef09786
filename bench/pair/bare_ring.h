/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least that moves bytes between two processes: a ring of slots in shared memory, a flag in
 * each slot, and memcpy at both ends. What Weft costs beyond this is what its headers, matching
 * and events cost.
 */
#ifndef WEFT_BENCH_PAIR_BARE_RING_H
#define WEFT_BENCH_PAIR_BARE_RING_H

#include <stddef.h>

/* One end of a ring that has one sender and one receiver. */
struct bare_ring {
    unsigned char *slots;
    size_t count;
    size_t packet; /* bytes that a slot carries */
    size_t stride;
    size_t next;
};

/* For that many slots; a ring in memory of zeros is empty. */
size_t bare_ring_bytes(size_t count, size_t packet);
struct bare_ring bare_ring_at(void *memory, size_t count, size_t packet);

/* Both ends know the size of the message. Both spin, and wait for ever. */
void bare_ring_send(struct bare_ring *ring, const void *message, size_t size);
void bare_ring_receive(struct bare_ring *ring, void *message, size_t size);

/* What a loop that spins does in each round: lets another process run from time to time. */
void bare_ring_relax(unsigned round);

#endif
