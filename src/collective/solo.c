/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Solo collectives ([DiG15], section IV): whoever starts first wakes all others. In round k a
 * process calls the one 2^k ahead, if it has started itself or was called in a round before. The
 * calls of one that starts alone are a binomial tree; if several start, some are called twice,
 * which changes nothing, since each operation runs once.
 */
#include "collective/part.h"

static void make_optional(struct weft_collective_part *part, int operation)
{
    if (!part->error)
        part->error = weft_schedule_optional(part->schedule, operation);
}

/* Returns what is complete when `heard` is, or when a call of this round has come. */
static int call(struct weft_collective_part *part, int64_t step, int heard)
{
    const struct weft_schedule_memory nothing = {.length = 0};
    make_optional(part, heard);
    int sent = weft_collective_send(part, &nothing, weft_collective_at(part, step), heard);
    make_optional(part, sent);
    int come = weft_collective_receive(part, &nothing, weft_collective_at(part, -step),
                                       WEFT_COLLECTIVE_NONE);
    make_optional(part, come);
    int either = weft_collective_nop(part, heard);
    weft_collective_after(part, either, come);
    if (!part->error)
        part->error = weft_schedule_any(part->schedule, either);
    return either;
}

int weft_collective_solo(weft_schedule *schedule, uint16_t tag)
{
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    int awake = weft_collective_nop(&part, WEFT_COLLECTIVE_NONE);
    for (int64_t step = 1; !part.error && step < part.size; step *= 2)
        awake = call(&part, step, awake);
    if (!part.error)
        part.error = weft_schedule_begin_with(schedule, awake);
    return part.error ? part.error : awake;
}
