/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of all ranks before one. In round k each gives the one that is 2^k behind it what it has of
 * itself and the 2^k - 1 before it; that is as much of what is before the other.
 */
#include "collective/part.h"
#include "collective/partner.h"

static bool has_next(const struct weft_collective_part *part, uint64_t step)
{
    return part->rank + step < part->size;
}

/* The last message comes to where the result is to be. */
static struct weft_schedule_memory place_of(struct weft_collective_part *part, uint64_t step,
                                            const struct weft_schedule_memory *to)
{
    return part->rank < 2 * step ? *to : weft_collective_scratch(part, to->length);
}

static void scan(struct weft_collective_part *part, const struct weft_schedule_memory *from,
                 const struct weft_schedule_memory *to)
{
    struct weft_collective_sum sum = {*from, WEFT_COLLECTIVE_NONE};
    if (part->rank == 0)
        weft_collective_copy(part, from, to, WEFT_COLLECTIVE_NONE);
    for (uint64_t step = 1; !part->error && step < part->size; step *= 2) {
        if (has_next(part, step))
            weft_collective_send(part, &sum.memory, (uint32_t)(part->rank + step), sum.done);
        if (part->rank >= step)
            weft_collective_add_from(part, &sum, (uint32_t)(part->rank - step),
                                     place_of(part, step, to));
    }
}

/* What is before this process, and its own. */
static struct weft_collective_sum with_own(struct weft_collective_part *part,
                                           const struct weft_collective_sum *before,
                                           const struct weft_schedule_memory *own)
{
    struct weft_schedule_memory place = weft_collective_scratch(part, own->length);
    int copied = weft_collective_copy(part, own, &place, WEFT_COLLECTIVE_NONE);
    int combined = weft_collective_combine(part, &before->memory, &place, copied);
    weft_collective_after(part, combined, before->done);
    return (struct weft_collective_sum){place, combined};
}

static void hear(struct weft_collective_part *part, struct weft_collective_sum *before,
                 uint64_t step, struct weft_schedule_memory place)
{
    uint32_t other = (uint32_t)(part->rank - step);
    if (step > 1)
        weft_collective_add_from(part, before, other, place);
    else
        *before = (struct weft_collective_sum){
            place, weft_collective_receive(part, &place, other, WEFT_COLLECTIVE_NONE)};
}

/* `to` of the first rank is not looked at. */
static void exscan(struct weft_collective_part *part, const struct weft_schedule_memory *from,
                   const struct weft_schedule_memory *to)
{
    struct weft_collective_sum before, sum = {*from, WEFT_COLLECTIVE_NONE};
    for (uint64_t step = 1; !part->error && step < part->size; step *= 2) {
        if (has_next(part, step))
            weft_collective_send(part, &sum.memory, (uint32_t)(part->rank + step), sum.done);
        if (part->rank < step)
            continue;
        hear(part, &before, step, place_of(part, step, to));
        if (has_next(part, 2 * step))
            sum = with_own(part, &before, from);
    }
}

int weft_collective_scan(weft_schedule *schedule, ptl_op_t operation, ptl_datatype_t datatype,
                         const struct weft_schedule_memory *from,
                         const struct weft_schedule_memory *to, uint16_t tag)
{
    if (!from || !to || from->length != to->length)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part =
        weft_collective_begin_reduction(schedule, operation, datatype, from->length, tag);
    if (!part.error)
        scan(&part, from, to);
    return part.error;
}

int weft_collective_exscan(weft_schedule *schedule, ptl_op_t operation, ptl_datatype_t datatype,
                           const struct weft_schedule_memory *from,
                           const struct weft_schedule_memory *to, uint16_t tag)
{
    if (!from)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part =
        weft_collective_begin_reduction(schedule, operation, datatype, from->length, tag);
    if (part.error || (part.rank && (!to || from->length != to->length)))
        return WEFT_ERR_ARGUMENT;
    exscan(&part, from, to);
    return part.error;
}
