/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges at distances 1, 2, 4, ... */
#include "collective/part.h"
#include "collective/partner.h"

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

/* The last message comes to where the result is to be. */
static void exchange(struct weft_collective_part *part, struct weft_collective_sum *sum,
                     const struct weft_collective_fold *fold,
                     const struct weft_schedule_memory *to)
{
    uint32_t own = weft_collective_in_core(fold, part->rank);
    for (uint32_t step = 1; step < fold->core; step *= 2) {
        uint32_t other = weft_collective_of_core(fold, own ^ step);
        weft_collective_send(part, &sum->memory, other, sum->done);
        bool is_last = 2 * step >= fold->core;
        weft_collective_add_from(part, sum, other,
                                 is_last ? *to : weft_collective_scratch(part, to->length));
    }
}

void weft_collective_allreduce_doubling(struct weft_collective_part *part,
                                        const struct weft_schedule_memory *from,
                                        const struct weft_schedule_memory *to)
{
    struct weft_collective_fold fold = weft_collective_fold_of(part->size);
    bool is_folded = weft_collective_is_folded(&fold, part->rank);
    if (is_folded && part->rank % 2 == 0) {
        weft_collective_send(part, from, part->rank + 1, WEFT_COLLECTIVE_NONE);
        weft_collective_receive(part, to, part->rank + 1, WEFT_COLLECTIVE_NONE);
        return;
    }
    struct weft_collective_sum sum = {*from, WEFT_COLLECTIVE_NONE};
    if (is_folded)
        weft_collective_add_from(part, &sum, part->rank - 1,
                                 weft_collective_scratch(part, to->length));
    exchange(part, &sum, &fold, to);
    if (is_folded)
        weft_collective_send(part, &sum.memory, part->rank - 1, sum.done);
    if (part->size == 1)
        weft_collective_copy(part, from, to, WEFT_COLLECTIVE_NONE);
}
