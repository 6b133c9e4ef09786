/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Solo collectives ([DiG15], section IV): whoever starts first wakes all others. In round k a
 * process calls the one 2^k ahead, at once if it has started itself or was called in a round
 * before. These calls of one that starts alone are a binomial tree, and leave first.
 *
 * The paper stops there. But if several start, the branch of a tree ends where a process was
 * called from another tree, in a late round, and is done before the call of this one comes; and
 * two trees may lose the same process. So who is awake calls in all other rounds, too. Most are
 * called several times, which changes nothing, since each operation runs once.
 */
#include "collective/part.h"

#define ROUNDS 32

static const struct weft_schedule_memory nothing = {.length = 0};

static void make_optional(struct weft_collective_part *part, int operation)
{
    if (!part->error)
        part->error = weft_schedule_optional(part->schedule, operation);
}

static void make_any(struct weft_collective_part *part, int operation)
{
    if (!part->error)
        part->error = weft_schedule_any(part->schedule, operation);
}

/* Returns what is complete when `heard` is, or when a call from `source` has come. */
static int hear(struct weft_collective_part *part, uint32_t source, int heard)
{
    make_optional(part, heard);
    int called = weft_collective_receive(part, &nothing, source, WEFT_COLLECTIVE_NONE);
    make_optional(part, called);
    int either = weft_collective_nop(part, heard);
    weft_collective_after(part, either, called);
    make_any(part, either);
    return either;
}

static void call(struct weft_collective_part *part, uint32_t target, int heard, int awake)
{
    int sent = weft_collective_send(part, &nothing, target, heard);
    weft_collective_after(part, sent, awake);
    make_any(part, sent);
    make_optional(part, sent);
}

int weft_collective_solo(weft_schedule *schedule, uint16_t tag)
{
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    int heard[ROUNDS]; /* before each round */
    int awake = weft_collective_nop(&part, WEFT_COLLECTIVE_NONE);
    unsigned rounds = 0;
    for (int64_t step = 1; !part.error && step < part.size; step *= 2) {
        heard[rounds++] = awake;
        awake = hear(&part, weft_collective_at(&part, -step), awake);
    }
    for (unsigned i = 0; !part.error && i < rounds; i++)
        call(&part, weft_collective_at(&part, (int64_t)1 << i), heard[i], awake);
    if (!part.error)
        part.error = weft_schedule_begin_with(schedule, awake);
    return part.error ? part.error : awake;
}
