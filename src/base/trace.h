/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened last: a ring of records that any thread may add to, without a lock and without
 * waiting. The oldest are overwritten. Whoever reads at the same time gets whole records only.
 */
#ifndef WEFT_BASE_TRACE_H
#define WEFT_BASE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* One line of a trace; nic/world.h says what the numbers mean. */
struct weft_trace {
    uint64_t time;
    uint64_t a;
    uint64_t b;
    uint32_t what;
    uint32_t peer_nid; /* 0: it is about no other process */
    uint32_t peer_pid;
};

/* With the address of the process that it belongs to. */
struct weft_trace_record {
    struct weft_trace trace;
    uint32_t nid;
    uint32_t pid;
};

struct weft_trace_ring;

/* With room for at least so many records; NULL without memory, or if that is more than there can
 * be. */
struct weft_trace_ring *weft_trace_ring_open(uint64_t records);
void weft_trace_ring_close(struct weft_trace_ring *ring);

/* A record may be lost while others are added that are newer by the length of the ring: then the
 * thread was held up for that long. */
void weft_trace_ring_add(struct weft_trace_ring *ring, const struct weft_trace_record *record);

/* Records are numbered in the order of being added. How many there have been, and the first that
 * is not overwritten. */
uint64_t weft_trace_ring_total(const struct weft_trace_ring *ring);
uint64_t weft_trace_ring_first(const struct weft_trace_ring *ring);

/* False if it is lost, or not there yet. */
bool weft_trace_ring_read(const struct weft_trace_ring *ring, uint64_t number,
                          struct weft_trace_record *record);

#endif
