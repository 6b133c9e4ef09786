/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * graphs_test [--world sim|shm|ofi] [--seed N] [--count N]: random graphs of operations, one run
 * for each seed. On simulated nodes, whose network loses, doubles and delays packets, all of a run
 * follows from its seed; real processes run the same graphs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <portals4_job.h>

#include "portals/simulate.h"
#include "schedule/actor.h"
#include "support/rng.h"
#include "support/tap.h"
#include "transfer/family.h"

#define PROCESSES 4
#define SECONDS 600
#define MILLISECOND UINT64_C(1000000)

struct run {
    struct plan plan;
    struct actor_stage stage;
    atomic_uint arrived;
    char why[PLAN_NODES][160];
};

static void replay(const struct run *run, const char *world)
{
    for (unsigned i = 0; i < run->plan.nodes; i++)
        if (run->why[i][0])
            tap_note("%s", run->why[i]);
    tap_note("replay: graphs_test --world %s --seed %llu --count 1", world,
             (unsigned long long)run->plan.seed);
}

/* ---- Virtual time ------------------------------------------------------------------------- */

static void node_program(unsigned node, void *argument)
{
    struct run *run = argument;
    ptl_process_t map[PLAN_NODES];
    ptl_handle_ni_t ni;
    for (unsigned i = 0; i < run->plan.nodes; i++)
        map[i] = (ptl_process_t){.phys = {.nid = i + 1, .pid = 1}};
    PtlInit();
    PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, 1, NULL, NULL, &ni);
    PtlSetMap(ni, run->plan.nodes, map);
    actor_run(&run->stage, ni, node, run->why[node], sizeof run->why[node]);
    PtlNIFini(ni);
    PtlFini();
}

static struct weft_sim_config config_of(const struct plan *plan)
{
    struct rng rng = rng_stream(plan->seed, 1000);
    unsigned latency = 100 + (unsigned)rng_below(&rng, 5000);
    unsigned packet_size = 1024u << rng_below(&rng, 3);
    struct weft_sim_config config = {
        .nodes = plan->nodes,
        .seed = plan->seed,
        .latency = latency,
        .bandwidth = 10000,
        .packet_size = packet_size,
        .timeout = 10000 * MILLISECOND,
        .reliable = rng_one_in(&rng, 3),
        .limit = 60000 * MILLISECOND,
    };
    if (!config.reliable) {
        config.loss = config.duplicate = (unsigned)rng_below(&rng, WEFT_SIM_MILLION / 25);
        config.reorder = WEFT_SIM_MILLION / 20;
        config.reorder_delay = 5000;
    }
    return config;
}

static void simulate(uint64_t seed, uint64_t *operations)
{
    struct run *run = calloc(1, sizeof *run);
    plan_make(&run->plan, seed, 0);
    run->stage = (struct actor_stage){&run->plan, &run->arrived};
    struct weft_sim_config config = config_of(&run->plan);
    bool is_right = weft_portals_simulate(&config, node_program, run) == 0;
    for (unsigned i = 0; i < run->plan.nodes; i++)
        is_right = is_right && !run->why[i][0];
    *operations += (uint64_t)run->plan.count * run->plan.executions;
    if (!is_right) {
        tap_check(false, "graph", (int)seed, "a graph runs as it must");
        replay(run, "sim");
    }
    free(run);
}

/* ---- Real processes ----------------------------------------------------------------------- */

struct real {
    struct run run;
    uint64_t seed, count;
    atomic_uint arrived[]; /* of each graph */
};

static int live(int rank, void *argument)
{
    struct real *real = argument;
    struct run *run = &real->run;
    ptl_handle_ni_t ni;
    if (PtlInit() != PTL_OK || PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL,
                                         PTL_PID_ANY, NULL, NULL, &ni) != PTL_OK)
        return 1;
    if (weft_job_init(ni, NULL, NULL) != PTL_OK)
        return 1;
    struct plan *plan = malloc(sizeof *plan);
    for (uint64_t i = 0; i < real->count && !run->why[rank][0]; i++) {
        plan_make(plan, real->seed + i, PROCESSES);
        const struct actor_stage stage = {plan, &real->arrived[i]};
        actor_run(&stage, ni, (unsigned)rank, run->why[rank], sizeof run->why[rank]);
        if (rank == 0)
            run->plan = *plan;
    }
    free(plan);
    PtlNIFini(ni);
    PtlFini();
    return run->why[rank][0] != 0;
}

static void run_processes(const char *world, uint64_t seed, uint64_t count)
{
    struct real *real = family_memory(sizeof *real + count * sizeof *real->arrived);
    real->seed = seed;
    real->count = count;
    setenv("WEFT_WORLD", world, 1);
    family_run(PROCESSES, SECONDS, live, real);
    for (unsigned i = 0; i < PROCESSES; i++)
        if (real->run.why[i][0]) {
            replay(&real->run, world);
            return;
        }
}

/* ---- The program -------------------------------------------------------------------------- */

static const char *option(int count, char **arguments, const char *name, const char *fallback)
{
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(arguments[i], name) == 0)
            return arguments[i + 1];
    return fallback;
}

int main(int argc, char **argv)
{
    const char *world = option(argc, argv, "--world", "sim");
    uint64_t seed = strtoull(option(argc, argv, "--seed", "1"), NULL, 10);
    uint64_t count = strtoull(option(argc, argv, "--count", "400"), NULL, 10);
    uint64_t operations = 0;
    if (strcmp(world, "sim") != 0) {
        run_processes(world, seed, count);
    } else {
        for (uint64_t i = 0; i < count; i++)
            simulate(seed + i, &operations);
        tap_note("%llu graphs, %llu operations in virtual time", (unsigned long long)count,
                 (unsigned long long)operations);
    }
    tap_check(true, "graph", 0, "all seeds were tried");
    return tap_done();
}
