/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges at distances 1, 2, 4, ... */
#include "collective/part.h"

/* A message of round k says that its sender has heard of 2^k others. It has heard of all of them
 * only when all messages of the rounds before are there, which may come in any order, and of
 * itself when it starts: what is only posted must not pass on what it hears. */
int weft_collective_barrier(weft_schedule *schedule, uint16_t tag)
{
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    const struct weft_schedule_memory nothing = {.length = 0};
    int heard = WEFT_COLLECTIVE_NONE;
    for (int64_t step = 1; !part.error && step < part.size; step *= 2) {
        weft_collective_send(&part, &nothing, weft_collective_at(&part, step), heard);
        int come = weft_collective_receive(&part, &nothing, weft_collective_at(&part, -step),
                                           WEFT_COLLECTIVE_NONE);
        if (2 * step >= part.size)
            break;
        if (heard == WEFT_COLLECTIVE_NONE)
            heard = weft_collective_nop(&part, heard);
        int next = weft_collective_nop(&part, heard);
        weft_collective_after(&part, next, come);
        heard = next;
    }
    return part.error;
}

/* ---- Allreduce ---------------------------------------------------------------------------- */

/* The largest power of two of processes takes part; each of the first others gives its data to its
 * neighbour and gets the result from it. */
struct fold {
    uint32_t core;  /* processes that take part */
    uint32_t extra; /* pairs of neighbours of which one does */
};

static struct fold fold_of(uint32_t size)
{
    uint32_t core = 1;
    while (core <= size / 2)
        core *= 2;
    return (struct fold){core, size - core};
}

static uint32_t rank_in_core(const struct fold *fold, uint32_t rank)
{
    return rank < 2 * fold->extra ? rank / 2 : rank - fold->extra;
}

static uint32_t rank_of_core(const struct fold *fold, uint32_t in_core)
{
    return in_core < fold->extra ? 2 * in_core + 1 : in_core + fold->extra;
}

/* What a process has combined so far, and since when. It lies where the last message came to: what
 * is being sent is not changed, so nobody waits until it has been taken. */
struct sum {
    struct weft_schedule_memory memory;
    int done;
};

static void add_from(struct weft_collective_part *part, struct sum *sum, uint32_t other,
                     struct weft_schedule_memory place)
{
    int come = weft_collective_receive(part, &place, other, WEFT_COLLECTIVE_NONE);
    int combined = weft_collective_combine(part, &sum->memory, &place, sum->done);
    weft_collective_after(part, combined, come);
    *sum = (struct sum){place, combined};
}

/* The last message comes to where the result is to be. */
static void exchange(struct weft_collective_part *part, struct sum *sum, const struct fold *fold,
                     const struct weft_schedule_memory *to)
{
    uint32_t own = rank_in_core(fold, part->rank);
    for (uint32_t step = 1; step < fold->core; step *= 2) {
        uint32_t other = rank_of_core(fold, own ^ step);
        weft_collective_send(part, &sum->memory, other, sum->done);
        bool is_last = 2 * step >= fold->core;
        add_from(part, sum, other, is_last ? *to : weft_collective_scratch(part, to->length));
    }
}

void weft_collective_allreduce_doubling(struct weft_collective_part *part,
                                        const struct weft_schedule_memory *from,
                                        const struct weft_schedule_memory *to)
{
    struct fold fold = fold_of(part->size);
    bool is_folded = part->rank < 2 * fold.extra;
    if (is_folded && part->rank % 2 == 0) {
        weft_collective_send(part, from, part->rank + 1, WEFT_COLLECTIVE_NONE);
        weft_collective_receive(part, to, part->rank + 1, WEFT_COLLECTIVE_NONE);
        return;
    }
    struct sum sum = {*from, WEFT_COLLECTIVE_NONE};
    if (is_folded)
        add_from(part, &sum, part->rank - 1, weft_collective_scratch(part, to->length));
    exchange(part, &sum, &fold, to);
    if (is_folded)
        weft_collective_send(part, &sum.memory, part->rank - 1, sum.done);
    if (part->size == 1)
        weft_collective_copy(part, from, to, WEFT_COLLECTIVE_NONE);
}
