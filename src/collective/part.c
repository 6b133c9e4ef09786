/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/part.h"

struct weft_collective_part weft_collective_begin(weft_schedule *schedule, uint16_t tag)
{
    struct weft_collective_part part = {.schedule = schedule, .tag = tag, .size = 1};
    const weft_engine *engine = weft_schedule_engine(schedule);
    if (engine) {
        part.rank = weft_engine_rank(engine);
        part.size = weft_engine_size(engine);
    } else {
        part.error = WEFT_ERR_ARGUMENT;
    }
    return part;
}

static bool is_order_free(ptl_op_t operation)
{
    return (unsigned)operation <= PTL_BXOR;
}

struct weft_collective_part weft_collective_begin_reduction(weft_schedule *schedule,
                                                            ptl_op_t operation,
                                                            ptl_datatype_t datatype, size_t length,
                                                            uint16_t tag)
{
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    size_t item = weft_schedule_item_size(datatype);
    if (!is_order_free(operation) || !item || length % item)
        part.error = WEFT_ERR_ARGUMENT;
    part.operation = operation;
    part.datatype = datatype;
    return part;
}

void weft_collective_after(struct weft_collective_part *part, int later, int earlier)
{
    if (part->error || later < 0 || earlier < 0)
        return;
    part->error = weft_schedule_after(part->schedule, later, earlier);
}

/* The operation has been created, or not. */
static int note(struct weft_collective_part *part, int operation, int after)
{
    if (operation < 0) {
        part->error = operation;
        return WEFT_COLLECTIVE_NONE;
    }
    weft_collective_after(part, operation, after);
    return operation;
}

int weft_collective_send(struct weft_collective_part *part,
                         const struct weft_schedule_memory *from, uint32_t to, int after)
{
    if (part->error)
        return WEFT_COLLECTIVE_NONE;
    return note(part, weft_schedule_send(part->schedule, from, to, part->tag), after);
}

int weft_collective_receive(struct weft_collective_part *part,
                            const struct weft_schedule_memory *to, uint32_t from, int after)
{
    if (part->error)
        return WEFT_COLLECTIVE_NONE;
    return note(part, weft_schedule_receive(part->schedule, to, from, part->tag), after);
}

int weft_collective_copy(struct weft_collective_part *part,
                         const struct weft_schedule_memory *from,
                         const struct weft_schedule_memory *to, int after)
{
    if (part->error)
        return WEFT_COLLECTIVE_NONE;
    return note(part, weft_schedule_copy(part->schedule, from, to), after);
}

int weft_collective_combine(struct weft_collective_part *part,
                            const struct weft_schedule_memory *from,
                            const struct weft_schedule_memory *to, int after)
{
    if (part->error)
        return WEFT_COLLECTIVE_NONE;
    return note(part,
                weft_schedule_compute(part->schedule, part->operation, part->datatype, from, to),
                after);
}

int weft_collective_nop(struct weft_collective_part *part, int after)
{
    if (part->error)
        return WEFT_COLLECTIVE_NONE;
    return note(part, weft_schedule_nop(part->schedule), after);
}

struct weft_schedule_memory weft_collective_scratch(struct weft_collective_part *part,
                                                    size_t length)
{
    struct weft_schedule_memory memory = {.length = length};
    if (!part->error && length)
        part->error = weft_schedule_scratch(part->schedule, length, &memory.base);
    return memory;
}
