/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened last: a ring of records that any thread may add to, without a lock and without
 * waiting. The oldest are overwritten. Whoever reads at the same time gets whole records only.
 */
#ifndef WEFT_TRACE_RING_H
#define WEFT_TRACE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/record.h"

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
