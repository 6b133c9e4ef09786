/* SPDX-License-Identifier: BSD-3-Clause */
/* All blocks in as few messages as there are bits in the number of processes. */
#include "collective/part.h"

/* Copies `count` blocks, that begin at `first` of a ring of blocks, to or from a line of them. */
static int turn(struct weft_collective_part *part, const struct weft_schedule_memory *from,
                const struct weft_schedule_memory *to, size_t first, bool is_to_ring,
                size_t length, int after)
{
    size_t head = part->size - first;
    const struct weft_schedule_memory *ring = is_to_ring ? to : from;
    const struct weft_schedule_memory *line = is_to_ring ? from : to;
    struct weft_schedule_memory ring_head =
        weft_collective_range(ring, first * length, head * length);
    struct weft_schedule_memory ring_tail = weft_collective_range(ring, 0, first * length);
    struct weft_schedule_memory line_head = weft_collective_range(line, 0, head * length);
    struct weft_schedule_memory line_tail =
        weft_collective_range(line, head * length, first * length);
    int a = is_to_ring ? weft_collective_copy(part, &line_head, &ring_head, after)
                       : weft_collective_copy(part, &ring_head, &line_head, after);
    int b = is_to_ring ? weft_collective_copy(part, &line_tail, &ring_tail, after)
                       : weft_collective_copy(part, &ring_tail, &line_tail, after);
    int both = weft_collective_nop(part, a);
    weft_collective_after(part, both, b);
    return both;
}

/* ---- Allgather ---------------------------------------------------------------------------- */

void weft_collective_allgather_bruck(struct weft_collective_part *part,
                                     const struct weft_schedule_memory *from,
                                     const struct weft_schedule_memory *to)
{
    size_t length = from->length;
    struct weft_schedule_memory line = weft_collective_scratch(part, part->size * length);
    struct weft_schedule_memory own = weft_collective_range(&line, 0, length);
    int here = weft_collective_copy(part, from, &own, WEFT_COLLECTIVE_NONE);
    for (uint64_t step = 1; step < part->size; step *= 2) {
        size_t count = step < part->size - step ? step : part->size - step;
        struct weft_schedule_memory have = weft_collective_range(&line, 0, count * length);
        struct weft_schedule_memory more =
            weft_collective_range(&line, step * length, count * length);
        weft_collective_send(part, &have, weft_collective_at(part, -(int64_t)step), here);
        int come = weft_collective_receive(part, &more, weft_collective_at(part, (int64_t)step),
                                           WEFT_COLLECTIVE_NONE);
        int both = weft_collective_nop(part, here);
        weft_collective_after(part, both, come);
        here = both;
    }
    turn(part, &line, to, part->rank, true, length, here);
}

/* ---- Alltoall ----------------------------------------------------------------------------- */

/* The blocks of a line whose number has this bit: pairs of steps, and what is left at the end. */
static weft_type *type_with_bit(uint64_t size, uint64_t step, size_t length)
{
    size_t lengths[2] = {0, 0};
    ptrdiff_t places[2] = {0, 0};
    uint64_t whole = size / (2 * step), rest = size % (2 * step);
    weft_type *pairs = NULL, *all = NULL;
    const weft_type *types[2];
    weft_type_hvector(whole, step * length, (ptrdiff_t)(2 * step * length), weft_basic(WEFT_BYTE),
                      &pairs);
    types[0] = pairs;
    types[1] = weft_basic(WEFT_BYTE);
    lengths[0] = 1;
    places[0] = (ptrdiff_t)(step * length);
    lengths[1] = rest > step ? (rest - step) * length : 0;
    places[1] = (ptrdiff_t)((whole * 2 * step + step) * length);
    if (pairs)
        weft_type_struct(2, lengths, places, types, &all);
    weft_type_free(pairs);
    if (all && weft_type_commit(all) != WEFT_OK) {
        weft_type_free(all);
        all = NULL;
    }
    return all;
}

/* Sends the blocks with this bit, which the other's take the place of. */
static int exchange(struct weft_collective_part *part, const struct weft_schedule_memory *line,
                    uint64_t step, size_t length, int after)
{
    weft_type *type = type_with_bit(part->size, step, length);
    if (!type) {
        part->error = WEFT_ERR_MEMORY;
        return WEFT_COLLECTIVE_NONE;
    }
    struct weft_schedule_memory blocks = {
        .type = type, .count = 1, .base = line->base, .length = weft_type_size(type)};
    struct weft_schedule_memory scratch = weft_collective_scratch(part, blocks.length);
    int sent = weft_collective_send(part, &blocks, weft_collective_at(part, (int64_t)step), after);
    int come = weft_collective_receive(part, &scratch, weft_collective_at(part, -(int64_t)step),
                                       WEFT_COLLECTIVE_NONE);
    int placed = weft_collective_copy(part, &scratch, &blocks, sent);
    weft_collective_after(part, placed, come);
    weft_type_free(type);
    return placed;
}

/* `count` blocks of the line, from this one down, to as many blocks of `to`. */
static void copy_down(struct weft_collective_part *part, const struct weft_schedule_memory *line,
                      size_t from, const struct weft_schedule_memory *to, size_t length, int after)
{
    size_t count = length ? to->length / length : 0;
    weft_type *type = NULL;
    if (!count || part->error)
        return;
    int error = weft_type_hvector(count, length, -(ptrdiff_t)length, weft_basic(WEFT_BYTE), &type);
    if (!error)
        error = weft_type_commit(type);
    part->error = error;
    struct weft_schedule_memory down = {.type = type,
                                        .count = 1,
                                        .base = (char *)line->base + from * length,
                                        .length = to->length};
    weft_collective_copy(part, &down, to, after);
    weft_type_free(type);
}

/* What has come i processes far is block i of the line. */
static void copy_backwards(struct weft_collective_part *part,
                           const struct weft_schedule_memory *line,
                           const struct weft_schedule_memory *to, size_t length, int after)
{
    size_t head = part->rank + 1;
    struct weft_schedule_memory first = weft_collective_range(to, 0, head * length);
    struct weft_schedule_memory rest =
        weft_collective_range(to, head * length, (part->size - head) * length);
    copy_down(part, line, part->rank, &first, length, after);
    copy_down(part, line, part->size - 1, &rest, length, after);
}

/* Block i of the line is to go i processes farther; one bit of that in each round. */
void weft_collective_alltoall_bruck(struct weft_collective_part *part,
                                    const struct weft_schedule_memory *from,
                                    const struct weft_schedule_memory *to)
{
    size_t length = from->length / part->size;
    struct weft_schedule_memory line = weft_collective_scratch(part, from->length);
    int here = turn(part, from, &line, part->rank, false, length, WEFT_COLLECTIVE_NONE);
    for (uint64_t step = 1; length && !part->error && step < part->size; step *= 2)
        here = exchange(part, &line, step, length, here);
    copy_backwards(part, &line, to, length, here);
}
