/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collectives_test [--most N] [--ranks N] [--items N] [--seed N] [--kind NAME] [--solo 1]: every
 * collective, in every way, on simulated nodes, from and to random layouts, against what each
 * process must get; twice each, since schedules are used again. For all numbers of processes up to
 * --most, or for one; for several lengths, or for one. With --solo 1, only some processes start,
 * at least one, and the others only post.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective/scenario.h"
#include "portals/simulate.h"
#include "support/rng.h"
#include "support/tap.h"
#include "transfer/shape.h"

#define MILLISECOND UINT64_C(1000000)
#define EAGER 1024
#define TIMES 2

struct run {
    struct scenario scenario;
    unsigned arrived;
    bool is_solo;
    unsigned entered;       /* how often somebody has started, */
    unsigned starts[TIMES]; /* and in each execution */
    ptl_process_t *map;
    char why[160];
};

struct side {
    struct shape shape;
    struct weft_schedule_memory memory;
};

struct node {
    uint32_t rank;
    ptl_handle_ct_t clock;
    weft_engine *engine;
    weft_schedule *schedule;
    struct side from, to;
};

/* ---- Memory ------------------------------------------------------------------------------- */

static void open_side(struct side *side, uint64_t seed, size_t items)
{
    size_t length = items * sizeof(uint64_t);
    shape_open(&side->shape, seed, length);
    side->memory = (struct weft_schedule_memory){.type = side->shape.type,
                                                 .count = side->shape.count,
                                                 .base = side->shape.base,
                                                 .length = length};
}

static void put_item(const struct shape *shape, unsigned char *memory, size_t i, uint64_t item)
{
    unsigned char bytes[sizeof item];
    memcpy(bytes, &item, sizeof item);
    for (size_t j = 0; j < sizeof item; j++)
        memory[shape_place(shape, i * sizeof item + j)] = bytes[j];
}

/* ---- One node ----------------------------------------------------------------------------- */

static void pause_for(ptl_handle_ct_t clock, unsigned milliseconds)
{
    ptl_size_t never = 1;
    ptl_ct_event_t value;
    unsigned which;
    PtlCTPoll(&clock, &never, 1, milliseconds, &value, &which);
}

static void meet(struct run *run, ptl_handle_ct_t clock, unsigned times)
{
    run->arrived++;
    while (run->arrived < times * run->scenario.size)
        pause_for(clock, 1);
}

/* Whether this process starts an execution: all do, or some. */
static bool starts(const struct run *run, const struct node *node, unsigned times)
{
    struct rng rng = rng_stream(run->scenario.seed, 100000 + times);
    uint32_t first = (uint32_t)rng_below(&rng, run->scenario.size);
    struct rng own = rng_stream(rng_next(&rng), node->rank);
    return !run->is_solo || node->rank == first || rng_one_in(&own, 4);
}

/* Some come late, before or after they have posted. */
static int execute(struct run *run, struct node *node, struct rng *rng, unsigned times)
{
    int error;
    pause_for(node->clock, (unsigned)rng_below(rng, 3));
    error = weft_schedule_post(node->schedule);
    if (error)
        return error;
    pause_for(node->clock, (unsigned)rng_below(rng, 3));
    if (starts(run, node, times)) {
        run->entered++;
        run->starts[times]++;
        error = weft_schedule_start(node->schedule);
    }
    return error ? error : weft_schedule_wait(node->schedule, 1000000);
}

static void try_once(struct run *run, struct node *node, struct rng *rng, unsigned times)
{
    const struct scenario *scenario = &run->scenario;
    const struct shape *shape = &node->to.shape;
    size_t gotten = scenario_gotten(scenario, node->rank);
    for (size_t i = 0; i < gotten; i++)
        put_item(shape, shape->memory, i, 0);
    int error = execute(run, node, rng, times);
    for (size_t i = 0; i < gotten; i++)
        put_item(shape, shape->image, i, scenario_get(scenario, node->rank, i));
    bool is_barrier = scenario->kind->collective == SCENARIO_BARRIER;
    if (error)
        snprintf(run->why, sizeof run->why, "rank %u: %s", node->rank, weft_error_name(error));
    else if (!shape_is_right(shape))
        snprintf(run->why, sizeof run->why, "rank %u has got something else", node->rank);
    else if (run->starts[times] == 0)
        snprintf(run->why, sizeof run->why, "rank %u runs before anybody starts", node->rank);
    else if (is_barrier && !run->is_solo && run->entered < (times + 1) * scenario->size)
        snprintf(run->why, sizeof run->why, "rank %u leaves before others come", node->rank);
}

static void play(struct run *run, struct node *node)
{
    struct scenario *scenario = &run->scenario;
    struct rng rng = rng_stream(scenario->seed, 1 + node->rank);
    struct side *from = &node->from, *to = &node->to;
    size_t given = scenario_given(scenario, node->rank);
    open_side(from, scenario->seed * 100 + 2 * node->rank, given);
    open_side(to, scenario->seed * 100 + 2 * node->rank + 1,
              scenario_gotten(scenario, node->rank));
    for (size_t i = 0; i < given; i++)
        put_item(&from->shape, from->shape.memory, i, scenario_give(scenario, node->rank, i));
    int error = weft_schedule_create(node->engine, 1, &node->schedule);
    if (!error && run->is_solo && weft_collective_solo(node->schedule, 1) < 0)
        error = WEFT_ERR_ARGUMENT;
    if (!error)
        error = scenario_build(scenario, node->schedule, &from->memory, &to->memory);
    if (error)
        snprintf(run->why, sizeof run->why, "rank %u builds nothing: %s", node->rank,
                 weft_error_name(error));
    for (unsigned i = 0; i < TIMES && !run->why[0]; i++)
        try_once(run, node, &rng, i);
    weft_schedule_free(node->schedule);
    shape_close(&from->shape);
    shape_close(&to->shape);
}

static void node_program(unsigned number, void *argument)
{
    const struct weft_engine_options options = {.eager = EAGER};
    struct run *run = argument;
    struct node node = {.rank = number};
    ptl_handle_ni_t ni;
    PtlInit();
    PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, 1, NULL, NULL, &ni);
    PtlSetMap(ni, run->scenario.size, run->map);
    PtlCTAlloc(ni, &node.clock);
    weft_engine_open(ni, number, run->scenario.size, &options, &node.engine);
    meet(run, node.clock, 1);
    play(run, &node);
    meet(run, node.clock, 2);
    weft_engine_close(node.engine);
    PtlNIFini(ni);
    PtlFini();
}

/* ---- Many --------------------------------------------------------------------------------- */

static void try(const struct scenario_kind *kind, uint32_t size, size_t items, uint64_t seed,
                bool is_solo)
{
    struct rng rng = rng_stream(seed, 0);
    static const ptl_op_t operations[] = {PTL_SUM, PTL_MIN, PTL_MAX};
    uint32_t root = (uint32_t)rng_below(&rng, size);
    ptl_op_t operation = operations[rng_below(&rng, 3)];
    struct run run = {.scenario = {.kind = kind,
                                   .size = size,
                                   .root = root,
                                   .items = items,
                                   .seed = seed,
                                   .operation = operation,
                                   .datatype = rng_one_in(&rng, 2) ? PTL_UINT64_T : PTL_DOUBLE},
                      .is_solo = is_solo};
    struct weft_sim_config config = {.nodes = size,
                                     .seed = seed,
                                     .latency = 1000,
                                     .bandwidth = 10000,
                                     .packet_size = 4096,
                                     .timeout = 10000 * MILLISECOND,
                                     .reliable = true,
                                     .limit = 600000 * MILLISECOND};
    run.map = malloc(size * sizeof *run.map);
    for (uint32_t i = 0; i < size; i++)
        run.map[i] = (ptl_process_t){.phys = {.nid = i + 1, .pid = 1}};
    int error = weft_portals_simulate(&config, node_program, &run);
    free(run.map);
    if (!error && !run.why[0])
        return;
    tap_check(false, kind->name, (int)size, kind->name);
    tap_note("%s", run.why);
    tap_note("replay: collectives_test --kind '%s' --ranks %u --items %zu --seed %llu --solo %d",
             kind->name, size, items, (unsigned long long)seed, is_solo);
}

static const char *option(int count, char **arguments, const char *name, const char *fallback)
{
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(arguments[i], name) == 0)
            return arguments[i + 1];
    return fallback;
}

static uint64_t value(int count, char **arguments, const char *name, const char *fallback)
{
    return strtoull(option(count, arguments, name, fallback), NULL, 10);
}

int main(int argc, char **argv)
{
    static const size_t lengths[] = {0, 1, 50, 700};
    uint32_t most = (uint32_t)value(argc, argv, "--most", "17");
    uint32_t ranks = (uint32_t)value(argc, argv, "--ranks", "0");
    const char *items = option(argc, argv, "--items", NULL);
    const char *name = option(argc, argv, "--kind", NULL);
    uint64_t seed = value(argc, argv, "--seed", "1");
    bool is_solo = value(argc, argv, "--solo", "0");
    for (unsigned i = 0; i < scenario_count; i++) {
        const struct scenario_kind *kind = &scenario_kinds[i];
        if (name && strcmp(name, kind->name) != 0)
            continue;
        for (uint32_t size = ranks ? ranks : 1; size <= (ranks ? ranks : most); size++)
            for (size_t j = 0; j < (items ? 1 : sizeof lengths / sizeof *lengths); j++)
                try(kind, size, items ? strtoull(items, NULL, 10) : lengths[j],
                    items ? seed : seed + 1000 * size + j, is_solo);
        tap_check(true, kind->name, 0, kind->name);
    }
    return tap_done();
}
