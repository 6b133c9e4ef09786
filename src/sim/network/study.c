/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/network/study.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"

#define CYCLE WEFT_SIM_CYCLE
#define SAMPLES WEFT_SIM_SAMPLES

/* A stream of random numbers of its own for each purpose. */
enum { SEED_PATTERN, SEED_SLOW, SEED_ROUTES, SEED_HOSTS };

struct weft_sim_study weft_sim_study_paper(void)
{
    return (struct weft_sim_study){.shape = WEFT_SIM_SHAPE_DRAGONFLY,
                                   .sizes = {6, 12, 6},
                                   .routing = {WEFT_SIM_PROGRESSIVE, 2, 30, false, false},
                                   .packet = 16,
                                   .buffer = 256,
                                   .speedup = 2.4,
                                   .pipeline = 3,
                                   .node_latency = 1,
                                   .local_latency = 2,
                                   .global_latency = 10,
                                   .pattern = WEFT_SIM_PAIRS,
                                   .slowness = 8,
                                   .window_size = 30,
                                   .window_gain = 6,
                                   .chunk = 1,
                                   .mark_from = 0.5,
                                   .mark_rate = 1,
                                   .becn_add = 8,
                                   .becn_drop = 1,
                                   .becn_most = 20,
                                   .becn_every = 4,
                                   .seed = 1,
                                   .sample = 1000,
                                   .least = 6000,
                                   .most = 30000,
                                   .tolerance = 0.05};
}

/* ---- Setting up --------------------------------------------------------------------------- */

static struct weft_sim_topology *build(const struct weft_sim_study *study)
{
    const uint32_t *sizes = study->sizes;
    switch (study->shape) {
    case WEFT_SIM_SHAPE_FAT_TREE:
        return weft_sim_fat_tree_create(sizes[0], sizes[1]);
    case WEFT_SIM_SHAPE_TORUS:
        return weft_sim_torus_create(sizes[0], sizes[1], sizes[2], sizes[3]);
    case WEFT_SIM_SHAPE_STAR:
        return weft_sim_star_create(sizes[0]);
    case WEFT_SIM_SHAPE_OWN:
        return study->own(sizes[0]);
    default:
        return weft_sim_dragonfly_create(sizes[0], sizes[1], sizes[2]);
    }
}

static uint32_t count_slow(const struct weft_sim_study *study, uint32_t nodes)
{
    return study->slow > 0 ? (uint32_t)(study->slow * nodes + 0.5) : 0;
}

static bool draw_sinks(struct weft_sim_run *run, const struct weft_sim_study *study)
{
    uint32_t nodes = run->topology->nodes, slow = count_slow(study, nodes);
    uint64_t random = weft_hash_mix(study->seed, SEED_SLOW);
    run->sinks = malloc(nodes * sizeof *run->sinks);
    if (!run->sinks)
        return false;
    for (uint32_t node = 0; node < nodes; node++)
        run->sinks[node] = 1;
    while (slow > 0 && study->slowness > 1) {
        uint32_t *sink = &run->sinks[weft_sim_topology_draw(&random, nodes)];
        slow -= *sink == 1;
        *sink = study->slowness;
    }
    return true;
}

static void describe_fabric(struct weft_sim_run *run, const struct weft_sim_study *study)
{
    run->fabric = (struct weft_sim_fabric_config){
        .topology = run->topology,
        .routing = study->routing,
        .seed = weft_hash_mix(study->seed, SEED_ROUTES),
        .flit_size = 1,
        .packet = study->packet,
        .buffer = study->buffer,
        .queue = 1,
        .flit_time = CYCLE,
        .cross_time = (uint32_t)(CYCLE / study->speedup + 0.5),
        .pipeline = study->pipeline * CYCLE,
        .latency = {0, study->node_latency * CYCLE, study->local_latency * CYCLE,
                    study->global_latency * CYCLE},
        .sinks = run->sinks,
        .mark_from = study->mark_from,
        .mark_rate = study->is_notified ? study->mark_rate : 0};
}

static bool start_hosts(struct weft_sim_run *run, const struct weft_sim_study *study)
{
    const struct weft_sim_hosts_config config = {.window = study->window,
                                                 .window_size = study->window_size,
                                                 .window_gain = study->window_gain,
                                                 .is_notified = study->is_notified,
                                                 .becn_add = study->becn_add,
                                                 .becn_drop = study->becn_drop,
                                                 .becn_most = study->becn_most,
                                                 .becn_every = (uint64_t)study->becn_every * CYCLE,
                                                 .seed = weft_hash_mix(study->seed, SEED_HOSTS)};
    return weft_sim_hosts_init(&run->hosts, &run->engine,
                               study->by_flit ? weft_sim_flits_create : weft_sim_fabric_create,
                               &run->fabric, &run->pattern, &config);
}

bool weft_sim_run_prepare(struct weft_sim_run *run, const struct weft_sim_study *study)
{
    *run = (struct weft_sim_run){.topology = NULL};
    run->topology = build(study);
    if (!run->topology || !draw_sinks(run, study))
        return false;
    describe_fabric(run, study);
    return weft_sim_pattern_init(&run->pattern, study->pattern, run->topology->nodes,
                                 study->pattern_number, weft_hash_mix(study->seed, SEED_PATTERN));
}

bool weft_sim_run_open(struct weft_sim_run *run, const struct weft_sim_study *study)
{
    return weft_sim_run_prepare(run, study) && start_hosts(run, study);
}

void weft_sim_run_close(struct weft_sim_run *run)
{
    weft_sim_hosts_fini(&run->hosts);
    weft_sim_pattern_fini(&run->pattern);
    weft_sim_topology_destroy(run->topology);
    weft_sim_engine_fini(&run->engine);
    free(run->sinks);
}

/* ---- Running ------------------------------------------------------------------------------ */

static struct weft_sim_tally count(const struct weft_sim_run *run)
{
    const struct weft_sim_hosts *hosts = &run->hosts;
    struct weft_sim_tally tally = {.taken = hosts->taken,
                                   .packets = hosts->packets,
                                   .time = hosts->time,
                                   .detours = hosts->detours,
                                   .marks = hosts->marks};
    for (uint32_t node = 0; node < run->topology->nodes; node++)
        tally.taken_by_slow += run->sinks[node] > 1 ? hosts->hosts[node].taken : 0;
    return tally;
}

void weft_sim_run_sample(struct weft_sim_run *run, uint64_t until)
{
    weft_sim_engine_run(&run->engine, until * CYCLE);
    for (unsigned i = SAMPLES; i > 0; i--)
        run->tallies[i] = run->tallies[i - 1];
    run->tallies[0] = count(run);
}

static bool has_converged(const struct weft_sim_run *run, double tolerance)
{
    double least = INFINITY, most = 0;
    for (unsigned i = 0; i < SAMPLES; i++) {
        double taken = (double)(run->tallies[i].taken - run->tallies[i + 1].taken);
        least = fmin(least, taken);
        most = fmax(most, taken);
    }
    return most - least <= tolerance * most;
}

static double share(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : 0;
}

static void conclude(const struct weft_sim_run *run, const struct weft_sim_study *study,
                     struct weft_sim_finding *finding)
{
    const struct weft_sim_tally *end = &run->tallies[0], *begin = &run->tallies[SAMPLES];
    uint64_t packets = end->packets - begin->packets, cycles = SAMPLES * study->sample;
    uint32_t nodes = run->topology->nodes, slow = count_slow(study, nodes);
    finding->nodes = nodes;
    finding->throughput = share(end->taken - begin->taken, cycles * nodes);
    finding->of_slow = share(end->taken_by_slow - begin->taken_by_slow, cycles * slow);
    finding->latency = share(end->time - begin->time, packets * CYCLE);
    finding->detours = share(end->detours - begin->detours, packets);
    finding->marks = share(end->marks - begin->marks, packets);
    finding->events = run->engine.events;
}

bool weft_sim_study_run(const struct weft_sim_study *study, struct weft_sim_finding *finding)
{
    struct weft_sim_run run;
    bool is_good = weft_sim_run_open(&run, study);
    *finding = (struct weft_sim_finding){.cycles = 0};
    while (is_good && !finding->has_converged && finding->cycles + study->sample <= study->most) {
        finding->cycles += study->sample;
        weft_sim_run_sample(&run, finding->cycles);
        finding->has_converged =
            finding->cycles >= study->least && has_converged(&run, study->tolerance);
    }
    is_good = is_good && !run.engine.starved;
    if (is_good)
        conclude(&run, study, finding);
    weft_sim_run_close(&run);
    return is_good;
}
