/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * storm_test [--world sim|shm|ofi] [--seed N] [--count N] [--transfers N] [--longest BYTES]
 * [--paths N] [--hpus N]: random transfers, one storm for each seed, until there were as many
 * storms or transfers. With HPUs, these move the packets of layouts, and some must have done so.
 * On simulated nodes, whose network loses, doubles and delays packets, all of a run follows from
 * its seed; with up to N paths of different length, packets overtake each other in all runs. Real
 * processes take the same storms one after the other.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "portals/simulate.h"
#include "support/rng.h"
#include "support/tap.h"
#include "transfer/family.h"
#include "transfer/node.h"
#include "transfer/storm.h"

#define MOST_NODES 6
#define PROCESSES 4
#define SECONDS 3000 /* that a long run may take */
#define MILLISECOND UINT64_C(1000000)

struct wish {
    uint64_t seed, count, transfers;
    size_t longest;
    uint64_t paths; /* at the most, or 0 */
    uint32_t hpus;
};

/* What one run on simulated nodes knows. */
struct run {
    const struct wish *wish;
    uint64_t seed;
    unsigned nodes;
    unsigned transfers;
    size_t longest;
    uint64_t scattered, gathered, refused; /* packets, by HPUs */
    char why[MOST_NODES][160];
};

static void blow(struct storm *storm)
{
    if (storm->seed % 4)
        storm_of_messages(storm);
    else
        storm_of_regions(storm);
}

struct toll {
    uint64_t storms, transfers;
    size_t longest;
    uint64_t scattered, gathered, refused;
};

static void report(const struct toll *toll)
{
    tap_note("%llu storms, %llu transfers, messages of up to %zu bytes",
             (unsigned long long)toll->storms, (unsigned long long)toll->transfers, toll->longest);
    tap_note("packets by HPUs: %llu scattered, %llu gathered; %llu found no room",
             (unsigned long long)toll->scattered, (unsigned long long)toll->gathered,
             (unsigned long long)toll->refused);
}

static void judge(const struct wish *wish, const struct toll *toll)
{
    if (!wish->hpus)
        return;
    tap_check(toll->scattered > 0, "storm", 0, "HPUs scattered packets");
    tap_check(toll->gathered > 0, "storm", 0, "HPUs gathered packets");
}

static struct weft_net_counters counters_of(const weft_net *net)
{
    struct weft_net_counters counters = {0};
    weft_net_counters(net, &counters, sizeof counters);
    return counters;
}

/* ---- Virtual time ------------------------------------------------------------------------- */

static void node_program(unsigned node, void *argument)
{
    struct run *run = argument;
    struct node_net opened;
    if (!node_open(&opened, node, run->nodes)) {
        snprintf(run->why[node], sizeof run->why[node], "node %u cannot open its net", node);
        return;
    }
    struct storm storm = {
        .net = opened.net, .seed = run->seed, .patience = 100000, .longest = run->wish->longest};
    blow(&storm);
    memcpy(run->why[node], storm.why, sizeof storm.why);
    run->transfers = storm.transfers;
    run->longest = storm.longest_yet;
    run->scattered += counters_of(opened.net).scattered;
    run->gathered += counters_of(opened.net).gathered;
    run->refused += counters_of(opened.net).refused;
    node_close(&opened);
}

/* What a seed means without paths stays as it is. */
static void draw_paths(struct weft_sim_config *config, uint64_t seed, uint64_t most)
{
    struct rng rng = rng_stream(seed, 1001);
    config->paths = (uint32_t)rng_between(&rng, 2, most);
    config->path_delay = rng_magnitude(&rng, 10000);
}

/* They are slow enough for messages to overtake each other. */
static void draw_hpus(struct weft_sim_config *config, uint64_t seed, uint32_t count)
{
    struct rng rng = rng_stream(seed, 1002);
    config->nic.hpus.count = count;
    config->nic.hpus.contexts = 1 + (uint32_t)rng_below(&rng, 64);
    config->nic.hpus.start = rng_magnitude(&rng, 10000);
    config->nic.memory = 1 + rng_magnitude(&rng, 4096); /* some layouts have no room */
}

static struct weft_sim_config config_of(uint64_t seed)
{
    struct rng rng = rng_stream(seed, 1000);
    struct weft_sim_config config = {
        .seed = seed,
        .bandwidth = 10000,
        .timeout = 10000 * MILLISECOND,
        .nic.hpus.contexts = 256,
        .limit = 600000 * MILLISECOND,
    };
    config.nodes = 1 + (unsigned)rng_below(&rng, MOST_NODES);
    config.latency = 100 + (unsigned)rng_below(&rng, 5000);
    config.packet_size = 1024u << rng_below(&rng, 4);
    config.reliable = rng_one_in(&rng, 3);
    if (!config.reliable) {
        config.loss = config.duplicate = (unsigned)rng_below(&rng, WEFT_SIM_MILLION / 25);
        config.reorder = WEFT_SIM_MILLION / 20;
        config.reorder_delay = 5000;
    }
    return config;
}

static void try_seed(const struct wish *wish, uint64_t seed, struct toll *toll)
{
    struct weft_sim_config config = config_of(seed);
    if (wish->paths > 1)
        draw_paths(&config, seed, wish->paths);
    if (wish->hpus)
        draw_hpus(&config, seed, wish->hpus);
    struct run run = {.wish = wish, .seed = seed, .nodes = config.nodes};
    char name[80];
    snprintf(name, sizeof name, "seed %llu, %u nodes", (unsigned long long)seed, run.nodes);
    bool is_right = weft_portals_simulate(&config, node_program, &run) == 0;
    for (unsigned i = 0; i < run.nodes; i++)
        is_right = is_right && !run.why[i][0];
    toll->storms++;
    toll->transfers += run.transfers;
    toll->scattered += run.scattered;
    toll->gathered += run.gathered;
    toll->refused += run.refused;
    if (run.longest > toll->longest)
        toll->longest = run.longest;
    if (is_right)
        return;
    tap_check(false, "storm", (int)seed, name);
    for (unsigned i = 0; i < run.nodes; i++)
        if (run.why[i][0])
            tap_note("%s", run.why[i]);
    tap_note("replay: storm_test --seed %llu --count 1 --longest %zu --paths %llu --hpus %u",
             (unsigned long long)seed, wish->longest, (unsigned long long)wish->paths, wish->hpus);
}

static void simulate(const struct wish *wish)
{
    struct toll toll = {0};
    while (toll.storms < wish->count && toll.transfers < wish->transfers)
        try_seed(wish, wish->seed + toll.storms, &toll);
    report(&toll);
    judge(wish, &toll);
    if (wish->hpus)
        tap_check(toll.refused > 0, "storm", 0, "some packets found no room");
}

/* ---- Real processes ----------------------------------------------------------------------- */

struct stage {
    struct wish wish;
    pthread_barrier_t between; /* storms: wildcards would take messages of the next */
    struct toll toll;
    char why[PROCESSES][160];
};

static int live(int rank, void *argument)
{
    struct stage *stage = argument;
    const struct wish *wish = &stage->wish;
    struct storm storm = {.seed = wish->seed, .patience = 100000, .longest = wish->longest};
    if (weft_open(&storm.net))
        return 1;
    for (uint64_t i = 0; i < wish->count && storm.transfers < wish->transfers; i++) {
        storm.seed = wish->seed + i;
        blow(&storm);
        if (storm.why[0])
            break; /* the others wait in vain and say so */
        pthread_barrier_wait(&stage->between);
        if (rank == 0)
            stage->toll = (struct toll){.storms = i + 1,
                                        .transfers = storm.transfers,
                                        .longest = storm.longest_yet,
                                        .scattered = counters_of(storm.net).scattered,
                                        .gathered = counters_of(storm.net).gathered};
    }
    memcpy(stage->why[rank], storm.why, sizeof storm.why);
    if (storm.why[0])
        return 2;
    weft_close(storm.net);
    return 0;
}

static void run_processes(const struct wish *wish)
{
    struct stage *stage = family_memory(sizeof *stage);
    pthread_barrierattr_t shared;
    stage->wish = *wish;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&stage->between, &shared, PROCESSES);
    family_run(PROCESSES, SECONDS, live, stage);
    for (unsigned i = 0; i < PROCESSES; i++)
        if (stage->why[i][0])
            tap_note("%s", stage->why[i]);
    report(&stage->toll);
    judge(wish, &stage->toll);
}

/* ---- The program -------------------------------------------------------------------------- */

static const char *option(int count, char **arguments, const char *name, const char *fallback)
{
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(arguments[i], name) == 0)
            return arguments[i + 1];
    return fallback;
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

int main(int count, char **arguments)
{
    const char *world = option(count, arguments, "--world", "sim");
    const char *transfers = option(count, arguments, "--transfers", NULL);
    struct wish wish = {
        .seed = number(option(count, arguments, "--seed", "1")),
        .count = transfers ? UINT64_MAX : number(option(count, arguments, "--count", "100")),
        .transfers = transfers ? number(transfers) : UINT64_MAX,
        .longest = number(option(count, arguments, "--longest", "0")),
        .paths = number(option(count, arguments, "--paths", "0")),
        .hpus = (uint32_t)number(option(count, arguments, "--hpus", "0")),
    };
    if (strcmp(world, "sim") == 0) {
        simulate(&wish);
    } else {
        setenv("WEFT_WORLD", world, 1);
        setenv("WEFT_HPUS", option(count, arguments, "--hpus", "0"), 1);
        run_processes(&wish);
    }
    tap_check(true, "storm", 0, "all seeds were tried");
    return tap_done();
}
