/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define TAG 7

const struct scenario_kind scenario_kinds[] = {
#define KIND(name, collective, way) {name, SCENARIO_##collective, WEFT_COLLECTIVE_##way},
    SCENARIO_MAP(KIND)
#undef KIND
};
const unsigned scenario_count = sizeof scenario_kinds / sizeof *scenario_kinds;

/* ---- How much ----------------------------------------------------------------------------- */

/* Parts of different lengths: some ranks get nothing. */
static size_t part_of(const struct scenario *scenario, uint32_t rank)
{
    return scenario->items * ((rank + scenario->root) % 3);
}

static size_t parts_before(const struct scenario *scenario, uint32_t rank)
{
    size_t items = 0;
    for (uint32_t i = 0; i < rank; i++)
        items += part_of(scenario, i);
    return items;
}

size_t scenario_given(const struct scenario *scenario, uint32_t rank)
{
    size_t items = scenario->items;
    bool is_root = rank == scenario->root;
    switch (scenario->kind->collective) {
    case SCENARIO_BARRIER:
        return 0;
    case SCENARIO_BCAST:
        return is_root ? items : 0;
    case SCENARIO_SCATTER:
        return is_root ? items * scenario->size : 0;
    case SCENARIO_REDUCE_SCATTER:
    case SCENARIO_ALLTOALL:
    case SCENARIO_ALLTOALLW:
    case SCENARIO_NEIGHBOURS:
        return items * scenario->size;
    case SCENARIO_REDUCE_SCATTERV:
        return parts_before(scenario, scenario->size);
    default:
        return items;
    }
}

size_t scenario_gotten(const struct scenario *scenario, uint32_t rank)
{
    size_t items = scenario->items;
    bool is_root = rank == scenario->root;
    switch (scenario->kind->collective) {
    case SCENARIO_BARRIER:
        return 0;
    case SCENARIO_BCAST:
        return is_root ? 0 : items;
    case SCENARIO_GATHER:
        return is_root ? items * scenario->size : 0;
    case SCENARIO_REDUCE:
        return is_root ? items : 0;
    case SCENARIO_REDUCE_SCATTERV:
        return part_of(scenario, rank);
    case SCENARIO_EXSCAN:
        return rank ? items : 0;
    case SCENARIO_ALLGATHER:
    case SCENARIO_ALLTOALL:
    case SCENARIO_ALLTOALLW:
    case SCENARIO_NEIGHBOURS:
        return items * scenario->size;
    default:
        return items;
    }
}

/* ---- Which -------------------------------------------------------------------------------- */

/* Doubles are whole numbers, so that the order of sums does not matter. */
static uint64_t as_item(const struct scenario *scenario, uint64_t number)
{
    double value = (double)(number % 1000);
    uint64_t bits;
    if (scenario->datatype != PTL_DOUBLE)
        return number;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t scenario_give(const struct scenario *scenario, uint32_t rank, size_t i)
{
    uint64_t hash = weft_hash_mix(weft_hash_mix(scenario->seed, rank), i);
    return as_item(scenario, weft_hash_mix(hash, 1));
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t combine(const struct scenario *scenario, uint64_t a, uint64_t b)
{
    bool is_double = scenario->datatype == PTL_DOUBLE;
    bool is_less = is_double ? as_double(a) < as_double(b) : a < b;
    if (scenario->operation == PTL_MIN)
        return is_less ? a : b;
    if (scenario->operation == PTL_MAX)
        return is_less ? b : a;
    double sum = is_double ? as_double(a) + as_double(b) : 0;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return is_double ? bits : a + b;
}

/* Of the first ranks. */
static uint64_t combined(const struct scenario *scenario, uint32_t count, size_t i)
{
    uint64_t sum = scenario_give(scenario, 0, i);
    for (uint32_t rank = 1; rank < count; rank++)
        sum = combine(scenario, sum, scenario_give(scenario, rank, i));
    return sum;
}

uint64_t scenario_get(const struct scenario *scenario, uint32_t rank, size_t i)
{
    size_t items = scenario->items;
    switch (scenario->kind->collective) {
    case SCENARIO_BCAST:
        return scenario_give(scenario, scenario->root, i);
    case SCENARIO_SCATTER:
        return scenario_give(scenario, scenario->root, rank * items + i);
    case SCENARIO_GATHER:
    case SCENARIO_ALLGATHER:
        return scenario_give(scenario, (uint32_t)(i / items), i % items);
    case SCENARIO_REDUCE_SCATTER:
        return combined(scenario, scenario->size, rank * items + i);
    case SCENARIO_REDUCE_SCATTERV:
        return combined(scenario, scenario->size, parts_before(scenario, rank) + i);
    case SCENARIO_SCAN:
        return combined(scenario, rank + 1, i);
    case SCENARIO_EXSCAN:
        return combined(scenario, rank, i);
    case SCENARIO_ALLTOALL:
    case SCENARIO_ALLTOALLW:
    case SCENARIO_NEIGHBOURS:
        return scenario_give(scenario, (uint32_t)(i / items), rank * items + i % items);
    default:
        return combined(scenario, scenario->size, i);
    }
}

/* ---- The calls ---------------------------------------------------------------------------- */

static struct weft_schedule_memory block_of(const struct weft_schedule_memory *memory, size_t i,
                                            size_t length)
{
    struct weft_schedule_memory block = *memory;
    block.offset += i * length;
    block.length = length;
    return block;
}

/* Everybody is everybody's neighbour, himself as well. */
static int build_pairs(const struct scenario *scenario, weft_schedule *schedule,
                       const struct weft_schedule_memory *from,
                       const struct weft_schedule_memory *to)
{
    uint32_t size = scenario->size;
    struct weft_schedule_memory *out = calloc(size, sizeof *out), *in = calloc(size, sizeof *in);
    uint32_t *ranks = calloc(size, sizeof *ranks);
    for (uint32_t i = 0; i < size; i++) {
        out[i] = block_of(from, i, scenario->items * sizeof(uint64_t));
        in[i] = block_of(to, i, scenario->items * sizeof(uint64_t));
        ranks[i] = i;
    }
    int error = scenario->kind->collective == SCENARIO_ALLTOALLW
                    ? weft_collective_alltoallw(schedule, out, in, TAG)
                    : weft_collective_neighbours(schedule, size, ranks, out, size, ranks, in, TAG);
    free(out);
    free(in);
    free(ranks);
    return error;
}

static int build_parts(const struct scenario *scenario, weft_schedule *schedule,
                       const struct weft_schedule_memory *from,
                       const struct weft_schedule_memory *to)
{
    size_t *lengths = calloc(scenario->size, sizeof *lengths);
    for (uint32_t i = 0; i < scenario->size; i++)
        lengths[i] = part_of(scenario, i) * sizeof(uint64_t);
    int error = weft_collective_reduce_scatterv(schedule, scenario->operation, scenario->datatype,
                                                from, lengths, to, TAG);
    free(lengths);
    return error;
}

static int build_reduction(const struct scenario *scenario, weft_schedule *schedule,
                           const struct weft_schedule_memory *from,
                           const struct weft_schedule_memory *to)
{
    ptl_op_t operation = scenario->operation;
    ptl_datatype_t datatype = scenario->datatype;
    enum weft_collective_way way = scenario->kind->way;
    switch (scenario->kind->collective) {
    case SCENARIO_REDUCE:
        return weft_collective_reduce(schedule, way, operation, datatype, from, to, scenario->root,
                                      TAG);
    case SCENARIO_ALLREDUCE:
        return weft_collective_allreduce(schedule, way, operation, datatype, from, to, TAG);
    case SCENARIO_SCAN:
        return weft_collective_scan(schedule, operation, datatype, from, to, TAG);
    case SCENARIO_EXSCAN:
        return weft_collective_exscan(schedule, operation, datatype, from, to, TAG);
    case SCENARIO_REDUCE_SCATTERV:
        return build_parts(scenario, schedule, from, to);
    default:
        return weft_collective_reduce_scatter(schedule, operation, datatype, from, to, TAG);
    }
}

int scenario_build(const struct scenario *scenario, weft_schedule *schedule,
                   const struct weft_schedule_memory *from, const struct weft_schedule_memory *to)
{
    bool is_root = weft_engine_rank(weft_schedule_engine(schedule)) == scenario->root;
    enum weft_collective_way way = scenario->kind->way;
    switch (scenario->kind->collective) {
    case SCENARIO_BARRIER:
        return weft_collective_barrier(schedule, TAG);
    case SCENARIO_BCAST:
        return weft_collective_bcast(schedule, way, is_root ? from : to, scenario->root, TAG);
    case SCENARIO_SCATTER:
        return weft_collective_scatter(schedule, from, to, scenario->root, TAG);
    case SCENARIO_GATHER:
        return weft_collective_gather(schedule, from, to, scenario->root, TAG);
    case SCENARIO_ALLGATHER:
        return weft_collective_allgather(schedule, way, from, to, TAG);
    case SCENARIO_ALLTOALL:
        return weft_collective_alltoall(schedule, way, from, to, TAG);
    case SCENARIO_ALLTOALLW:
    case SCENARIO_NEIGHBOURS:
        return build_pairs(scenario, schedule, from, to);
    default:
        return build_reduction(scenario, schedule, from, to);
    }
}
