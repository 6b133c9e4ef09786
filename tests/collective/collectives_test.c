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
#include "collective/stage.h"
#include "support/rng.h"
#include "support/tap.h"
#include "transfer/shape.h"

#define TIMES 2

struct run {
    struct stage stage;
    struct scenario scenario;
    bool is_solo;
    unsigned entered;       /* how often somebody has started, */
    unsigned starts[TIMES]; /* and in each execution */
    char why[160];
};

struct side {
    struct shape shape;
    struct weft_schedule_memory memory;
};

struct node {
    struct stage_node place;
    uint32_t rank;
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
    stage_pause(&node->place, (unsigned)rng_below(rng, 3));
    error = weft_schedule_post(node->schedule);
    if (error)
        return error;
    stage_pause(&node->place, (unsigned)rng_below(rng, 3));
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
    int error = weft_schedule_create(node->place.engine, 1, &node->schedule);
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
    struct run *run = argument;
    struct node node = {.rank = number};
    stage_enter(&run->stage, &node.place, number);
    play(run, &node);
    stage_leave(&run->stage, &node.place);
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
    struct weft_sim_config config = stage_config(size, seed);
    int error = stage_run(&run.stage, &config, node_program, &run);
    if (!error && !run.why[0])
        return;
    tap_check(false, kind->name, (int)size, kind->name);
    tap_note("%s", run.why);
    tap_note("replay: collectives_test --kind '%s' --ranks %u --items %zu --seed %llu --solo %d",
             kind->name, size, items, (unsigned long long)seed, is_solo);
}

int main(int argc, char **argv)
{
    static const size_t lengths[] = {0, 1, 50, 700};
    uint32_t most = (uint32_t)stage_number(argc, argv, "--most", "17");
    uint32_t ranks = (uint32_t)stage_number(argc, argv, "--ranks", "0");
    const char *items = stage_option(argc, argv, "--items", NULL);
    const char *name = stage_option(argc, argv, "--kind", NULL);
    uint64_t seed = stage_number(argc, argv, "--seed", "1");
    bool is_solo = stage_number(argc, argv, "--solo", "0");
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
