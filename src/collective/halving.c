/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sum of which each process wants a part. Two that are half of all away from each other give
 * each other the parts of the other's half, and have half as much left; then those that are a
 * quarter away, and so on.
 */
#include "collective/part.h"
#include "collective/partner.h"

/* The bytes of the parts of the processes from one of the core to another. */
static size_t bytes_of(const struct weft_collective_fold *fold, const size_t lengths[],
                       uint32_t first, uint32_t end)
{
    size_t bytes = 0;
    uint32_t last = end < fold->extra ? 2 * end : end + fold->extra;
    for (uint32_t i = first < fold->extra ? 2 * first : first + fold->extra; i < last; i++)
        bytes += lengths[i];
    return bytes;
}

/* Leaves of the sum what is for this process of the core, in `to` if there is one. */
static void halve(struct weft_collective_part *part, struct weft_collective_sum *sum,
                  const struct weft_collective_fold *fold, const size_t lengths[],
                  const struct weft_schedule_memory *to)
{
    uint32_t own = weft_collective_in_core(fold, part->rank);
    for (uint32_t step = fold->core / 2; !part->error && step; step /= 2) {
        uint32_t other = weft_collective_of_core(fold, own ^ step);
        uint32_t first = own & ~(2 * step - 1);
        size_t border = bytes_of(fold, lengths, first, first + step);
        struct weft_schedule_memory low = weft_collective_range(&sum->memory, 0, border);
        struct weft_schedule_memory high =
            weft_collective_range(&sum->memory, border, sum->memory.length - border);
        bool is_low = !(own & step);
        weft_collective_send(part, is_low ? &high : &low, other, sum->done);
        sum->memory = is_low ? low : high;
        bool is_last = step == 1 && to;
        weft_collective_add_from(
            part, sum, other, is_last ? *to : weft_collective_scratch(part, sum->memory.length));
    }
}

static void reduce_parts(struct weft_collective_part *part,
                         const struct weft_schedule_memory *from, const size_t lengths[],
                         const struct weft_schedule_memory *to)
{
    struct weft_collective_fold fold = weft_collective_fold_of(part->size);
    struct weft_collective_sum sum = {*from, WEFT_COLLECTIVE_NONE};
    bool is_folded = weft_collective_is_folded(&fold, part->rank);
    if (is_folded && part->rank % 2 == 0) {
        weft_collective_send(part, from, part->rank + 1, WEFT_COLLECTIVE_NONE);
        weft_collective_receive(part, to, part->rank + 1, WEFT_COLLECTIVE_NONE);
        return;
    }
    if (is_folded)
        weft_collective_add_from(part, &sum, part->rank - 1,
                                 weft_collective_scratch(part, from->length));
    halve(part, &sum, &fold, lengths, is_folded ? NULL : to);
    if (is_folded) {
        size_t border = lengths[part->rank - 1];
        struct weft_schedule_memory low = weft_collective_range(&sum.memory, 0, border);
        struct weft_schedule_memory high = weft_collective_range(&sum.memory, border, to->length);
        weft_collective_send(part, &low, part->rank - 1, sum.done);
        weft_collective_copy(part, &high, to, sum.done);
    }
    if (part->size == 1)
        weft_collective_copy(part, from, to, WEFT_COLLECTIVE_NONE);
}

/* Whether the parts are of whole items, and as long together as what is read. */
static bool is_right(const struct weft_collective_part *part, const size_t lengths[], size_t whole)
{
    size_t item = weft_schedule_item_size(part->datatype);
    for (uint32_t i = 0; i < part->size; i++) {
        if (lengths[i] % item || lengths[i] > whole)
            return false;
        whole -= lengths[i];
    }
    return whole == 0;
}

int weft_collective_reduce_scatterv(weft_schedule *schedule, ptl_op_t operation,
                                    ptl_datatype_t datatype,
                                    const struct weft_schedule_memory *from,
                                    const size_t lengths[], const struct weft_schedule_memory *to,
                                    uint16_t tag)
{
    if (!from || !lengths || !to)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part =
        weft_collective_begin_reduction(schedule, operation, datatype, from->length, tag);
    if (part.error || lengths[part.rank] != to->length || !is_right(&part, lengths, from->length))
        return WEFT_ERR_ARGUMENT;
    reduce_parts(&part, from, lengths, to);
    return part.error;
}
