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

/* ---- Reduce-scatter ----------------------------------------------------------------------- */

/* A block begins behind its owner and comes home when all have added to it. */
int weft_collective_reduce_scatter(weft_schedule *schedule, ptl_op_t operation,
                                   ptl_datatype_t datatype,
                                   const struct weft_schedule_memory *from,
                                   const struct weft_schedule_memory *to, uint16_t tag)
{
    if (!from || !to)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part =
        weft_collective_begin_reduction(schedule, operation, datatype, to->length, tag);
    uint32_t before = weft_collective_at(&part, -1), behind = weft_collective_at(&part, 1);
    struct weft_schedule_memory block =
        weft_collective_range(from, before * to->length, to->length);
    int done = WEFT_COLLECTIVE_NONE;
    if (part.size == 1)
        weft_collective_copy(&part, from, to, done);
    for (uint32_t step = 1; !part.error && step < part.size; step++) {
        weft_collective_send(&part, &block, behind, done);
        size_t which = weft_collective_at(&part, -(int64_t)step - 1);
        block = step + 1 == part.size ? *to : weft_collective_scratch(&part, to->length);
        struct weft_schedule_memory own =
            weft_collective_range(from, which * to->length, to->length);
        int come = weft_collective_receive(&part, &block, before, WEFT_COLLECTIVE_NONE);
        done = weft_collective_combine(&part, &own, &block, come);
    }
    return part.error;
}

/* ---- Allreduce ---------------------------------------------------------------------------- */

/* Blocks are summed on their way round, then the sums go round. A sum must not be received before
 * the part of it that lay there has been sent. */
void weft_collective_allreduce_ring(struct weft_collective_part *part,
                                    const struct weft_schedule_memory *from,
                                    const struct weft_schedule_memory *to)
{
    uint32_t before = weft_collective_at(part, -1), behind = weft_collective_at(part, 1);
    size_t item = weft_schedule_item_size(part->datatype);
    int done = weft_collective_copy(part, from, to, WEFT_COLLECTIVE_NONE), copied = done;
    int all_sent = WEFT_COLLECTIVE_NONE;
    struct weft_schedule_memory block = block_of(to, item, part->rank, part->size);
    for (uint32_t step = 1; step < part->size; step++) {
        int sent = weft_collective_nop(part, weft_collective_send(part, &block, behind, done));
        weft_collective_after(part, sent, all_sent);
        all_sent = sent;
        block = block_of(to, item, weft_collective_at(part, -(int64_t)step), part->size);
        struct weft_schedule_memory scratch = weft_collective_scratch(part, block.length);
        int come = weft_collective_receive(part, &scratch, before, WEFT_COLLECTIVE_NONE);
        done = weft_collective_combine(part, &scratch, &block, copied);
        weft_collective_after(part, done, come);
    }
    for (uint32_t step = 1; step < part->size; step++) {
        weft_collective_send(part, &block, behind, done);
        block = block_of(to, item, weft_collective_at(part, 1 - (int64_t)step), part->size);
        done = weft_collective_receive(part, &block, before, all_sent);
    }
}
