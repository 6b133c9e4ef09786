/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "chaos/letters/office.h"
#include "support/tap.h"

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND (1000 * MICROSECOND)
#define SECOND (1000 * MILLISECOND)

static void draw_faults(struct rng *rng, struct weft_sim_config *world)
{
    static const size_t worst[] = {0, 0, 1, 3, 10};
    size_t limit = worst[rng_below(rng, 5)] * (WEFT_SIM_MILLION / 100) + 1;
    world->loss = (uint32_t)rng_below(rng, limit);
    world->duplicate = (uint32_t)rng_below(rng, limit);
    world->reorder = (uint32_t)rng_below(rng, limit);
    if (world->reorder)
        world->reorder_delay = rng_magnitude(rng, 100 * MICROSECOND);
}

static void draw_hpus(struct rng *rng, struct weft_nic_hpus *hpus)
{
    if (rng_one_in(rng, 5))
        return;
    hpus->count = (uint32_t)rng_magnitude(rng, OFFICE_HPUS);
    hpus->contexts = (uint32_t)rng_magnitude(rng, 64);
    hpus->start = rng_one_in(rng, 3) ? 0 : rng_magnitude(rng, 500);
    hpus->dma = rng_one_in(rng, 3) ? 0 : rng_magnitude(rng, 2000);
    hpus->dma_rate = rng_one_in(rng, 2) ? 0 : 100 + rng_magnitude(rng, 50000);
}

static void draw_world(struct rng *rng, struct weft_sim_config *world)
{
    world->packet_size = (uint32_t)rng_between(rng, 600, rng_one_in(rng, 3) ? 4096 : 1024);
    world->latency = 50 + rng_magnitude(rng, 20 * MICROSECOND);
    world->bandwidth = rng_one_in(rng, 4) ? 0 : 500 + rng_magnitude(rng, 50000);
    world->reliable = rng_one_in(rng, 2);
    /* Nobody must take a slow node for a dead one. */
    world->timeout =
        world->reliable ? MILLISECOND + rng_magnitude(rng, 20 * MILLISECOND) : 200 * MILLISECOND;
    if (!world->reliable)
        draw_faults(rng, world);
    world->limit = 20 * SECOND;
    draw_hpus(rng, &world->nic.hpus);
    /* Room for the tallies and a few letters. */
    world->nic.memory = OFFICE_TALLIES * sizeof(struct tally_counts) +
                        sizeof(struct letter_state) * (uint64_t)rng_between(rng, 1, 40);
}

/* Mostly while letters are under way. */
static void draw_crashes(struct rng *rng, struct design *design)
{
    size_t busy = 50 * (size_t)design->pace + 20 * design->world.latency;
    if (!rng_one_in(rng, 3))
        return;
    design->crash_count = 1 + rng_one_in(rng, 3);
    for (unsigned i = 0; i < design->crash_count; i++) {
        design->crashes[i].node = (unsigned)rng_below(rng, design->world.nodes);
        design->crashes[i].when = rng_below(rng, busy);
    }
}

struct design design_draw(uint64_t seed, struct run_wish wish)
{
    struct rng rng = rng_stream(seed, 0);
    struct design design = {.seed = seed};
    unsigned wanted = (unsigned)rng_between(&rng, 2, rng_one_in(&rng, 3) ? OFFICE_NODES : 4);
    design.world.nodes = wish.nodes ? wish.nodes : wanted;
    design.world.seed = rng_next(&rng);
    draw_world(&rng, &design.world);
    design.is_traced = design.world.nic.hpus.count || rng_one_in(&rng, 2);
    design.has_flow_control = rng_one_in(&rng, 2);
    design.pace = (uint32_t)rng_magnitude(&rng, 20 * MICROSECOND);
    draw_crashes(&rng, &design);
    design.letters = design.world.nodes > 4 ? 2 : 6;
    design.tally_chance = rng_one_in(&rng, 3) ? 0 : (unsigned)rng_between(&rng, 1, 6);
    if (wish.has_paths)
        run_draw_paths(seed, &design.world);
    return design;
}

void design_print(const struct design *design)
{
    const struct weft_sim_config *world = &design->world;
    const struct weft_nic_hpus *hpus = &world->nic.hpus;
    tap_note("seed %" PRIu64 ": %u nodes, %s, packets of %u B, latency %" PRIu64 " ns, %" PRIu64
             " B/us, in a million %u lost, %u twice, %u late",
             design->seed, world->nodes, world->reliable ? "reliable" : "lossy",
             world->packet_size, world->latency, world->bandwidth, world->loss, world->duplicate,
             world->reorder);
    if (world->paths)
        tap_note("  %u paths, each %" PRIu64 " ns longer", world->paths, world->path_delay);
    tap_note("  %u HPUs, %u contexts, start %" PRIu64 " ns, DMA %" PRIu64 " ns, %" PRIu64
             " B/us, %" PRIu64 " B of memory%s%s",
             hpus->count, hpus->contexts, hpus->start, hpus->dma, hpus->dma_rate,
             world->nic.memory, design->has_flow_control ? ", flow control" : "",
             design->is_traced ? "" : ", no trace");
    for (unsigned i = 0; i < design->crash_count; i++)
        tap_note("  node %u crashes at %" PRIu64 " ns", design->crashes[i].node,
                 design->crashes[i].when);
}
