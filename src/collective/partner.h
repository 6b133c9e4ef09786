/* SPDX-License-Identifier: BSD-3-Clause */
/* What reductions have in common whose partners are 1, 2, 4, ... away. */
#ifndef WEFT_COLLECTIVE_PARTNER_H
#define WEFT_COLLECTIVE_PARTNER_H

#include "collective/part.h"

/* The largest power of two of processes takes part; each of the first others gives its data to its
 * neighbour and gets the result from it. */
struct weft_collective_fold {
    uint32_t core;  /* processes that take part */
    uint32_t extra; /* pairs of neighbours of which one does */
};

struct weft_collective_fold weft_collective_fold_of(uint32_t size);

/* One of a pair, of which the odd one takes part. */
static inline bool weft_collective_is_folded(const struct weft_collective_fold *fold,
                                             uint32_t rank)
{
    return rank < 2 * fold->extra;
}

static inline uint32_t weft_collective_in_core(const struct weft_collective_fold *fold,
                                               uint32_t rank)
{
    return weft_collective_is_folded(fold, rank) ? rank / 2 : rank - fold->extra;
}

static inline uint32_t weft_collective_of_core(const struct weft_collective_fold *fold,
                                               uint32_t in_core)
{
    return in_core < fold->extra ? 2 * in_core + 1 : in_core + fold->extra;
}

/* What a process has combined so far, and since when. It lies where the last message came to: what
 * is being sent is not changed, so nobody waits until it has been taken. */
struct weft_collective_sum {
    struct weft_schedule_memory memory;
    int done;
};

/* Adds what comes from another. The sum lies in `place` afterwards. */
void weft_collective_add_from(struct weft_collective_part *part, struct weft_collective_sum *sum,
                              uint32_t other, struct weft_schedule_memory place);

#endif
