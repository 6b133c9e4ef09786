/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that have several ways. Trees and few messages for short data, all links busy for
 * long. */
#include "collective/part.h"

#define LONG ((size_t)128 << 10)
#define SHORT_BLOCK 256u
#define MANY 8u

static enum weft_collective_way choose(enum weft_collective_way wish,
                                       enum weft_collective_way otherwise)
{
    return wish == WEFT_COLLECTIVE_AUTO ? otherwise : wish;
}

/* Long data fills a chain only if there is more of it than there are links. */
static bool fills_chain(const struct weft_collective_part *part, size_t length)
{
    return length >= LONG && length / LONG >= part->size;
}

int weft_collective_bcast(weft_schedule *schedule, enum weft_collective_way way,
                          const struct weft_schedule_memory *memory, uint32_t root, uint16_t tag)
{
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    if (part.error || !memory || root >= part.size)
        return WEFT_ERR_ARGUMENT;
    way = choose(way, fills_chain(&part, memory->length) ? WEFT_COLLECTIVE_PIPELINE
                                                         : WEFT_COLLECTIVE_BINOMIAL);
    if (way == WEFT_COLLECTIVE_BINOMIAL)
        weft_collective_bcast_tree(&part, memory, root, WEFT_COLLECTIVE_NONE);
    else if (way == WEFT_COLLECTIVE_PIPELINE)
        weft_collective_bcast_chain(&part, memory, root);
    else
        return WEFT_ERR_ARGUMENT;
    return part.error;
}

int weft_collective_reduce(weft_schedule *schedule, enum weft_collective_way way,
                           ptl_op_t operation, ptl_datatype_t datatype,
                           const struct weft_schedule_memory *from,
                           const struct weft_schedule_memory *to, uint32_t root, uint16_t tag)
{
    if (!from)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part =
        weft_collective_begin_reduction(schedule, operation, datatype, from->length, tag);
    if (part.error || root >= part.size || (part.rank == root && !to))
        return WEFT_ERR_ARGUMENT;
    way = choose(way, fills_chain(&part, from->length) ? WEFT_COLLECTIVE_PIPELINE
                                                       : WEFT_COLLECTIVE_BINOMIAL);
    if (way == WEFT_COLLECTIVE_BINOMIAL)
        weft_collective_reduce_tree(&part, from, to, root);
    else if (way == WEFT_COLLECTIVE_PIPELINE)
        weft_collective_reduce_chain(&part, from, to, root);
    else
        return WEFT_ERR_ARGUMENT;
    return part.error;
}

int weft_collective_allgather(weft_schedule *schedule, enum weft_collective_way way,
                              const struct weft_schedule_memory *from,
                              const struct weft_schedule_memory *to, uint16_t tag)
{
    if (!from || !to)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    way = choose(way, from->length >= LONG ? WEFT_COLLECTIVE_RING : WEFT_COLLECTIVE_BRUCK);
    if (way == WEFT_COLLECTIVE_RING)
        weft_collective_allgather_ring(&part, from, to);
    else if (way == WEFT_COLLECTIVE_BRUCK)
        weft_collective_allgather_bruck(&part, from, to);
    else
        return WEFT_ERR_ARGUMENT;
    return part.error;
}

int weft_collective_allreduce(weft_schedule *schedule, enum weft_collective_way way,
                              ptl_op_t operation, ptl_datatype_t datatype,
                              const struct weft_schedule_memory *from,
                              const struct weft_schedule_memory *to, uint16_t tag)
{
    if (!from || !to || from->length != to->length)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part =
        weft_collective_begin_reduction(schedule, operation, datatype, from->length, tag);
    way = choose(way, from->length >= LONG ? WEFT_COLLECTIVE_RING : WEFT_COLLECTIVE_DOUBLING);
    if (way == WEFT_COLLECTIVE_DOUBLING) {
        weft_collective_allreduce_doubling(&part, from, to);
    } else if (way == WEFT_COLLECTIVE_RING) {
        weft_collective_allreduce_ring(&part, from, to);
    } else if (way == WEFT_COLLECTIVE_BINOMIAL) {
        int done = weft_collective_reduce_tree(&part, from, to, 0);
        weft_collective_bcast_tree(&part, to, 0, done);
    } else {
        return WEFT_ERR_ARGUMENT;
    }
    return part.error;
}

int weft_collective_alltoall(weft_schedule *schedule, enum weft_collective_way way,
                             const struct weft_schedule_memory *from,
                             const struct weft_schedule_memory *to, uint16_t tag)
{
    if (!from || !to || from->length != to->length)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    if (from->length % part.size)
        return WEFT_ERR_ARGUMENT;
    bool is_short = part.size >= MANY && from->length / part.size <= SHORT_BLOCK;
    way = choose(way, is_short ? WEFT_COLLECTIVE_BRUCK : WEFT_COLLECTIVE_LINEAR);
    if (way == WEFT_COLLECTIVE_LINEAR)
        weft_collective_alltoall_linear(&part, from, to);
    else if (way == WEFT_COLLECTIVE_BRUCK)
        weft_collective_alltoall_bruck(&part, from, to);
    else
        return WEFT_ERR_ARGUMENT;
    return part.error;
}
