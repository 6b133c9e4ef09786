/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schedule of one rank alone, of up to 100,000: trees have as many operations as the number of
 * processes has bits, but for a factor, whichever rank it is. Prints a table.
 */
#include <stdio.h>

#include "collective/scenario.h"
#include "support/tap.h"

#define FACTOR 6

static const char *const trees[] = {"barrier",
                                    "bcast, binomial",
                                    "bcast, streamed",
                                    "scatter",
                                    "gather",
                                    "reduce, binomial",
                                    "allgather, Bruck",
                                    "alltoall, Bruck",
                                    "allreduce, doubling",
                                    "allreduce, binomial",
                                    "reduce_scatterv",
                                    "scan",
                                    "exscan"};
#define TREES (sizeof trees / sizeof *trees)

static const struct scenario_kind *find(const char *name)
{
    for (unsigned i = 0; i < scenario_count; i++)
        if (__builtin_strcmp(scenario_kinds[i].name, name) == 0)
            return &scenario_kinds[i];
    return NULL;
}

static struct weft_schedule_info measure(const struct scenario_kind *kind, uint32_t size,
                                         uint32_t rank)
{
    const struct scenario scenario = {
        .kind = kind, .size = size, .items = 1, .operation = PTL_SUM, .datatype = PTL_UINT64_T};
    struct weft_schedule_memory from = {.length = 8 * scenario_given(&scenario, rank)};
    struct weft_schedule_memory to = {.length = 8 * scenario_gotten(&scenario, rank)};
    struct weft_schedule_info info = {0};
    weft_engine *engine = NULL;
    weft_schedule *schedule = NULL;
    int error = weft_engine_open(PTL_INVALID_HANDLE, rank, size, NULL, &engine);
    if (!error)
        error = weft_schedule_create(engine, 1, &schedule);
    if (!error)
        error = scenario_build(&scenario, schedule, &from, &to);
    if (error || weft_schedule_post(schedule) != WEFT_ERR_NETWORK)
        tap_check(false, __FILE__, __LINE__, "it is built, and cannot be posted");
    weft_schedule_query(schedule, &info, sizeof info);
    weft_schedule_free(schedule);
    weft_engine_close(engine);
    return info;
}

static unsigned bits_of(uint32_t size)
{
    unsigned bits = 0;
    while ((size - 1) >> bits)
        bits++;
    return bits;
}

/* The rank with the most operations, among some of every kind. */
static struct weft_schedule_info largest(const struct scenario_kind *kind, uint32_t size)
{
    struct weft_schedule_info most = {0};
    const uint32_t ranks[] = {0, 1, size / 2, size - 1, 1u << (bits_of(size) - 1), 3 % size};
    for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        struct weft_schedule_info info = measure(kind, size, ranks[i]);
        if (info.operations > most.operations)
            most = info;
    }
    return most;
}

int main(void)
{
    static const uint32_t sizes[] = {2, 3, 10, 64, 1000, 1024, 10000, 65536, 100000};
    for (unsigned i = 0; i < TREES; i++) {
        const struct scenario_kind *kind = find(trees[i]);
        bool is_small = kind != NULL;
        tap_note("%s: processes, operations, dependencies, bytes", trees[i]);
        for (unsigned j = 0; kind && j < sizeof sizes / sizeof *sizes; j++) {
            struct weft_schedule_info info = largest(kind, sizes[j]);
            is_small = is_small && info.operations <= FACTOR * (bits_of(sizes[j]) + 1);
            tap_note("%8u %8zu %8zu %8zu", sizes[j], info.operations, info.dependencies,
                     info.memory);
        }
        tap_check(is_small, __FILE__, __LINE__, trees[i]);
    }
    return tap_done();
}
