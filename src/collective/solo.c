/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Solo collectives ([DiG15], section IV): whoever starts first wakes all others. Who has started,
 * or was called, calls the processes that are 1, 2, 4, ... ahead, so a call is nowhere later than
 * along a binomial tree. Most are called several times, which changes nothing, since each operation
 * runs once.
 *
 * The paper lets who was called in a round call only in later rounds, which leaves one tree for
 * each process that starts. Its branches must not end where a process was called from another tree
 * and is done before the call of this one comes: then both trees may lose the same process. Here
 * all calls of a process are out before it can be done.
 */
#include "collective/part.h"

static const struct weft_schedule_memory nothing = {.length = 0};

static void make_optional(struct weft_collective_part *part, int operation)
{
    if (!part->error)
        part->error = weft_schedule_optional(part->schedule, operation);
}

/* Returns what is complete when this process has started, or was called. */
static int wake(struct weft_collective_part *part)
{
    int started = weft_collective_nop(part, WEFT_COLLECTIVE_NONE);
    if (part->size == 1)
        return started;
    make_optional(part, started);
    for (int64_t step = 1; !part->error && step < part->size; step *= 2) {
        int called = weft_collective_receive(part, &nothing, weft_collective_at(part, -step),
                                             WEFT_COLLECTIVE_NONE);
        make_optional(part, called);
    }
    int awake = weft_collective_nop(part, started);
    for (int called = started + 1; !part->error && called < awake; called++)
        weft_collective_after(part, awake, called);
    if (!part->error)
        part->error = weft_schedule_any(part->schedule, awake);
    return awake;
}

static void call(struct weft_collective_part *part, int awake)
{
    for (int64_t step = 1; !part->error && step < part->size; step *= 2)
        make_optional(part, weft_collective_send(part, &nothing, weft_collective_at(part, step),
                                                 awake));
}

int weft_collective_solo(weft_schedule *schedule, uint16_t tag)
{
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    int awake = wake(&part);
    call(&part, awake);
    if (!part.error)
        part.error = weft_schedule_begin_with(schedule, awake);
    return part.error ? part.error : awake;
}
