/* SPDX-License-Identifier: BSD-3-Clause */
/* Every process sends to the next and receives from the one before it, block after block. */
#include "collective/part.h"

/* Block i of `count` that a vector is cut into, at the borders of items. */
static struct weft_schedule_memory block_of(const struct weft_schedule_memory *memory, size_t item,
                                            uint64_t i, uint64_t count)
{
    size_t items = memory->length / item;
    size_t each = items / count, more = items % count;
    size_t begin = each * i + (i < more ? i : more);
    size_t length = each + (i < more);
    return weft_collective_range(memory, begin * item, length * item);
}

/* ---- Allgather ---------------------------------------------------------------------------- */

void weft_collective_allgather_ring(struct weft_collective_part *part,
                                    const struct weft_schedule_memory *from,
                                    const struct weft_schedule_memory *to)
{
    uint32_t before = weft_collective_at(part, -1), behind = weft_collective_at(part, 1);
    size_t length = from->length;
    struct weft_schedule_memory own = weft_collective_range(to, part->rank * length, length);
    weft_collective_copy(part, from, &own, WEFT_COLLECTIVE_NONE);
    struct weft_schedule_memory block = *from;
    int come = WEFT_COLLECTIVE_NONE;
    for (uint32_t step = 1; step < part->size; step++) {
        weft_collective_send(part, &block, behind, come);
        size_t which = weft_collective_at(part, -(int64_t)step);
        block = weft_collective_range(to, which * length, length);
        come = weft_collective_receive(part, &block, before, WEFT_COLLECTIVE_NONE);
    }
}

/* ---- Reductions --------------------------------------------------------------------------- */

/* Cuts `from` into a block for each process. That which is `last` ranks away comes to `home` when
 * all have added to it on its way round. Returns what is complete then. */
static int sum_round(struct weft_collective_part *part, const struct weft_schedule_memory *from,
                     const struct weft_schedule_memory *home, int64_t last)
{
    uint32_t before = weft_collective_at(part, -1), behind = weft_collective_at(part, 1);
    size_t item = weft_schedule_item_size(part->datatype);
    struct weft_schedule_memory sum =
        block_of(from, item, weft_collective_at(part, last - 1), part->size);
    int done = WEFT_COLLECTIVE_NONE;
    if (part->size == 1)
        return weft_collective_copy(part, from, home, done);
    for (int64_t left = (int64_t)part->size - 2; !part->error && left >= 0; left--) {
        weft_collective_send(part, &sum, behind, done);
        struct weft_schedule_memory own =
            block_of(from, item, weft_collective_at(part, last + left), part->size);
        sum = left ? weft_collective_scratch(part, own.length) : *home;
        int come = weft_collective_receive(part, &sum, before, WEFT_COLLECTIVE_NONE);
        done = weft_collective_combine(part, &own, &sum, come);
    }
    return done;
}

int weft_collective_reduce_scatter(weft_schedule *schedule, ptl_op_t operation,
                                   ptl_datatype_t datatype,
                                   const struct weft_schedule_memory *from,
                                   const struct weft_schedule_memory *to, uint16_t tag)
{
    if (!from || !to)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part =
        weft_collective_begin_reduction(schedule, operation, datatype, to->length, tag);
    struct weft_schedule_memory blocks = weft_collective_range(from, 0, part.size * to->length);
    if (!part.error)
        sum_round(&part, &blocks, to, 0);
    return part.error;
}

/* Blocks are summed on their way round, then the sums go round. */
void weft_collective_allreduce_ring(struct weft_collective_part *part,
                                    const struct weft_schedule_memory *from,
                                    const struct weft_schedule_memory *to)
{
    if (part->error)
        return;
    uint32_t before = weft_collective_at(part, -1), behind = weft_collective_at(part, 1);
    size_t item = weft_schedule_item_size(part->datatype);
    struct weft_schedule_memory block = block_of(to, item, behind, part->size);
    int done = sum_round(part, from, &block, 1);
    for (int64_t step = 0; step < (int64_t)part->size - 1; step++) {
        weft_collective_send(part, &block, behind, done);
        block = block_of(to, item, weft_collective_at(part, -step), part->size);
        done = weft_collective_receive(part, &block, before, WEFT_COLLECTIVE_NONE);
    }
}
