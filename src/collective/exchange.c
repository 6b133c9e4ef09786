/* SPDX-License-Identifier: BSD-3-Clause */
/* Everybody sends to those whom it knows, all at once. */
#include "collective/part.h"

/* Beginning with the next neighbour, so that not all send to one process at the same time. */
void weft_collective_alltoall_linear(struct weft_collective_part *part,
                                     const struct weft_schedule_memory *from,
                                     const struct weft_schedule_memory *to)
{
    size_t length = from->length / part->size;
    for (uint32_t step = 0; step < part->size; step++) {
        uint32_t ahead = weft_collective_at(part, step);
        uint32_t behind = weft_collective_at(part, -(int64_t)step);
        struct weft_schedule_memory out = weft_collective_range(from, ahead * length, length);
        struct weft_schedule_memory in = weft_collective_range(to, behind * length, length);
        if (step == 0) {
            weft_collective_copy(part, &out, &in, WEFT_COLLECTIVE_NONE);
            continue;
        }
        weft_collective_receive(part, &in, behind, WEFT_COLLECTIVE_NONE);
        weft_collective_send(part, &out, ahead, WEFT_COLLECTIVE_NONE);
    }
}

int weft_collective_alltoallw(weft_schedule *schedule, const struct weft_schedule_memory from[],
                              const struct weft_schedule_memory to[], uint16_t tag)
{
    if (!from || !to)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    if (!part.error)
        weft_collective_copy(&part, &from[part.rank], &to[part.rank], WEFT_COLLECTIVE_NONE);
    for (uint32_t step = 1; !part.error && step < part.size; step++) {
        uint32_t ahead = weft_collective_at(&part, step);
        uint32_t behind = weft_collective_at(&part, -(int64_t)step);
        weft_collective_receive(&part, &to[behind], behind, WEFT_COLLECTIVE_NONE);
        weft_collective_send(&part, &from[ahead], ahead, WEFT_COLLECTIVE_NONE);
    }
    return part.error;
}

int weft_collective_neighbours(weft_schedule *schedule, size_t sends,
                               const uint32_t destinations[],
                               const struct weft_schedule_memory from[], size_t receives,
                               const uint32_t sources[], const struct weft_schedule_memory to[],
                               uint16_t tag)
{
    if ((sends && (!destinations || !from)) || (receives && (!sources || !to)))
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    for (size_t i = 0; i < receives; i++)
        weft_collective_receive(&part, &to[i], sources[i], WEFT_COLLECTIVE_NONE);
    for (size_t i = 0; i < sends; i++)
        weft_collective_send(&part, &from[i], destinations[i], WEFT_COLLECTIVE_NONE);
    return part.error;
}
