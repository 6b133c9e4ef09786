/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * storm_test [--seed N] [--count N]: random transfers on simulated nodes whose network loses,
 * doubles and delays packets. All of a run follows from its seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "portals/simulate.h"
#include "support/rng.h"
#include "support/tap.h"
#include "transfer/node.h"
#include "transfer/storm.h"

#define MOST_NODES 6
#define MILLISECOND UINT64_C(1000000)

struct run {
    uint64_t seed;
    unsigned nodes;
    char why[MOST_NODES][160];
};

static void node_program(unsigned node, void *argument)
{
    struct run *run = argument;
    struct node_net opened;
    if (!node_open(&opened, node, run->nodes)) {
        snprintf(run->why[node], sizeof run->why[node], "node %u cannot open its net", node);
        return;
    }
    struct storm storm = {.net = opened.net, .seed = run->seed, .patience = 100000};
    if (run->seed % 4)
        storm_of_messages(&storm);
    else
        storm_of_regions(&storm);
    memcpy(run->why[node], storm.why, sizeof storm.why);
    node_close(&opened);
}

static struct weft_sim_config config_of(uint64_t seed)
{
    struct rng rng = rng_stream(seed, 1000);
    struct weft_sim_config config = {
        .nodes = 1 + (unsigned)rng_below(&rng, MOST_NODES),
        .seed = seed,
        .latency = 100 + (unsigned)rng_below(&rng, 5000),
        .bandwidth = 10000,
        .packet_size = 1024u << rng_below(&rng, 4),
        .timeout = 10000 * MILLISECOND,
        .reliable = rng_one_in(&rng, 3),
        .hpus = {.contexts = 256},
        .limit = 600000 * MILLISECOND,
    };
    if (!config.reliable) {
        config.loss = config.duplicate = (unsigned)rng_below(&rng, WEFT_SIM_MILLION / 25);
        config.reorder = WEFT_SIM_MILLION / 20;
        config.reorder_delay = 5000;
    }
    return config;
}

static void try_seed(uint64_t seed)
{
    struct weft_sim_config config = config_of(seed);
    struct run run = {.seed = seed, .nodes = config.nodes};
    char name[80];
    snprintf(name, sizeof name, "seed %llu, %u nodes", (unsigned long long)seed, run.nodes);
    bool is_right = weft_simulate(&config, node_program, &run) == 0;
    for (unsigned i = 0; i < run.nodes; i++)
        is_right = is_right && !run.why[i][0];
    if (is_right)
        return;
    tap_check(false, "storm", (int)seed, name);
    for (unsigned i = 0; i < run.nodes; i++)
        if (run.why[i][0])
            tap_note("%s", run.why[i]);
    tap_note("replay: storm_test --seed %llu --count 1", (unsigned long long)seed);
}

static uint64_t option(int count, char **arguments, const char *name, uint64_t fallback)
{
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(arguments[i], name) == 0)
            return strtoull(arguments[i + 1], NULL, 10);
    return fallback;
}

int main(int count, char **arguments)
{
    uint64_t seed = option(count, arguments, "--seed", 1);
    uint64_t seeds = option(count, arguments, "--count", 100);
    for (uint64_t i = 0; i < seeds; i++)
        try_seed(seed + i);
    tap_check(true, "storm", 0, "all seeds were tried");
    return tap_done();
}
