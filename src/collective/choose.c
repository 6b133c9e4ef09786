/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that have several ways. */
#include "collective/part.h"
#include "collective/table.h"

/* What takes as many steps as there are processes wants more data for more of them. */
static bool holds(const struct weft_collective_rule *rule, uint32_t size, size_t bytes)
{
    return rule->processes <= size && bytes / (size / rule->processes) >= rule->bytes;
}

static enum weft_collective_way choose(enum weft_collective_way wish,
                                       enum weft_collective_name name,
                                       const struct weft_collective_part *part, size_t bytes)
{
    const struct weft_collective_rule *rule = weft_collective_rules;
    if (wish != WEFT_COLLECTIVE_AUTO)
        return wish;
    while (rule->name != name)
        rule++;
    enum weft_collective_way way = rule->way;
    for (; rule->way != WEFT_COLLECTIVE_AUTO; rule++)
        if (rule->name == name && holds(rule, part->size, bytes))
            way = rule->way;
    return way;
}

int weft_collective_bcast(weft_schedule *schedule, enum weft_collective_way way,
                          const struct weft_schedule_memory *memory, uint32_t root, uint16_t tag)
{
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    if (part.error || !memory || root >= part.size)
        return WEFT_ERR_ARGUMENT;
    way = choose(way, WEFT_COLLECTIVE_BCAST, &part, memory->length);
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
    way = choose(way, WEFT_COLLECTIVE_REDUCE, &part, from->length);
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
    way = choose(way, WEFT_COLLECTIVE_ALLGATHER, &part, to->length);
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
    way = choose(way, WEFT_COLLECTIVE_ALLREDUCE, &part, from->length);
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
    way = choose(way, WEFT_COLLECTIVE_ALLTOALL, &part, from->length);
    return exchange(&part, alltoall_ways, way, from, to);
}
