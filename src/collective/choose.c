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

static enum weft_collective_way choose_rooted(enum weft_collective_way wish,
                                              const struct weft_collective_part *part,
                                              size_t length)
{
    return choose(wish,
                  fills_chain(part, length) ? WEFT_COLLECTIVE_PIPELINE : WEFT_COLLECTIVE_BINOMIAL);
}

int weft_collective_bcast(weft_schedule *schedule, enum weft_collective_way way,
                          const struct weft_schedule_memory *memory, uint32_t root, uint16_t tag)
{
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    if (part.error || !memory || root >= part.size)
        return WEFT_ERR_ARGUMENT;
    way = choose_rooted(way, &part, memory->length);
    if (way == WEFT_COLLECTIVE_BINOMIAL)
        weft_collective_bcast_tree(&part, memory, root, WEFT_COLLECTIVE_NONE);
    else if (way == WEFT_COLLECTIVE_PIPELINE)
        weft_collective_bcast_chain(&part, memory, root);
    else if (way == WEFT_COLLECTIVE_STREAM)
        weft_collective_bcast_stream(&part, memory, root);
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
    way = choose_rooted(way, &part, from->length);
    if (way == WEFT_COLLECTIVE_BINOMIAL)
        weft_collective_reduce_tree(&part, from, to, root);
    else if (way == WEFT_COLLECTIVE_PIPELINE)
        weft_collective_reduce_chain(&part, from, to, root);
    else
        return WEFT_ERR_ARGUMENT;
    return part.error;
}

/* ---- From all to all ---------------------------------------------------------------------- */

/* The last of a list has no function. */
struct option {
    enum weft_collective_way way;
    weft_collective_exchange *exchange;
};

static const struct option allgather_ways[] = {
    {WEFT_COLLECTIVE_RING, weft_collective_allgather_ring},
    {WEFT_COLLECTIVE_BRUCK, weft_collective_allgather_bruck},
    {WEFT_COLLECTIVE_AUTO, NULL}};

static void reduce_then_bcast(struct weft_collective_part *part,
                              const struct weft_schedule_memory *from,
                              const struct weft_schedule_memory *to)
{
    int done = weft_collective_reduce_tree(part, from, to, 0);
    weft_collective_bcast_tree(part, to, 0, done);
}

static const struct option allreduce_ways[] = {
    {WEFT_COLLECTIVE_DOUBLING, weft_collective_allreduce_doubling},
    {WEFT_COLLECTIVE_RING, weft_collective_allreduce_ring},
    {WEFT_COLLECTIVE_BINOMIAL, reduce_then_bcast},
    {WEFT_COLLECTIVE_AUTO, NULL}};

static const struct option alltoall_ways[] = {
    {WEFT_COLLECTIVE_LINEAR, weft_collective_alltoall_linear},
    {WEFT_COLLECTIVE_BRUCK, weft_collective_alltoall_bruck},
    {WEFT_COLLECTIVE_AUTO, NULL}};

static int exchange(struct weft_collective_part *part, const struct option *options,
                    enum weft_collective_way way, const struct weft_schedule_memory *from,
                    const struct weft_schedule_memory *to)
{
    while (options->exchange && options->way != way)
        options++;
    if (!options->exchange)
        return WEFT_ERR_ARGUMENT;
    options->exchange(part, from, to);
    return part->error;
}

int weft_collective_allgather(weft_schedule *schedule, enum weft_collective_way way,
                              const struct weft_schedule_memory *from,
                              const struct weft_schedule_memory *to, uint16_t tag)
{
    if (!from || !to)
        return WEFT_ERR_ARGUMENT;
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    way = choose(way, from->length >= LONG ? WEFT_COLLECTIVE_RING : WEFT_COLLECTIVE_BRUCK);
    return exchange(&part, allgather_ways, way, from, to);
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
    return exchange(&part, allreduce_ways, way, from, to);
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
    return exchange(&part, alltoall_ways, way, from, to);
}
