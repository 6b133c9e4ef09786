/* SPDX-License-Identifier: BSD-3-Clause */
/* Long data in segments, down or up a chain of all processes: each link is busy all the time. */
#include "collective/part.h"

#define SEGMENT ((size_t)64 << 10)
/* However long the data is, a schedule has no more segments than this. */
#define SEGMENTS 256u

static size_t segment_of(size_t length)
{
    size_t segment = SEGMENT;
    while (length / segment >= SEGMENTS)
        segment *= 2;
    return segment;
}

/* Data of no bytes is one message, too. */
static size_t segments_of(size_t length)
{
    size_t segment = segment_of(length);
    return length ? (length + segment - 1) / segment : 1;
}

static struct weft_schedule_memory segment_at(const struct weft_schedule_memory *memory, size_t i)
{
    size_t segment = segment_of(memory->length), left = memory->length - i * segment;
    return weft_collective_range(memory, i * segment, left < segment ? left : segment);
}

void weft_collective_bcast_chain(struct weft_collective_part *part,
                                 const struct weft_schedule_memory *memory, uint32_t root)
{
    uint32_t before = weft_collective_at(part, -1), behind = weft_collective_at(part, 1);
    for (size_t i = 0; i < segments_of(memory->length); i++) {
        struct weft_schedule_memory range = segment_at(memory, i);
        int come = WEFT_COLLECTIVE_NONE;
        if (part->rank != root)
            come = weft_collective_receive(part, &range, before, WEFT_COLLECTIVE_NONE);
        if (behind != root)
            weft_collective_send(part, &range, behind, come);
    }
}

/* The last of the chain sends what it has; all others combine it with theirs. */
void weft_collective_reduce_chain(struct weft_collective_part *part,
                                  const struct weft_schedule_memory *from,
                                  const struct weft_schedule_memory *to, uint32_t root)
{
    uint32_t before = weft_collective_at(part, -1), behind = weft_collective_at(part, 1);
    bool is_last = behind == root;
    struct weft_schedule_memory sum = part->rank == root ? *to : *from;
    if (part->rank != root && !is_last)
        sum = weft_collective_scratch(part, from->length);
    struct weft_schedule_memory scratch = {.length = from->length};
    if (!is_last)
        scratch = weft_collective_scratch(part, from->length);
    for (size_t i = 0; i < segments_of(from->length); i++) {
        struct weft_schedule_memory range = segment_at(from, i), own = segment_at(&sum, i);
        struct weft_schedule_memory other = segment_at(&scratch, i);
        int done = WEFT_COLLECTIVE_NONE;
        if (part->rank == root || !is_last)
            done = weft_collective_copy(part, &range, &own, WEFT_COLLECTIVE_NONE);
        if (!is_last) {
            int come = weft_collective_receive(part, &other, behind, WEFT_COLLECTIVE_NONE);
            done = weft_collective_combine(part, &other, &own, done);
            weft_collective_after(part, done, come);
        }
        if (part->rank != root)
            weft_collective_send(part, &own, before, done);
    }
}
