/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/scenario.h"

#include <inttypes.h>

#include "support/tap.h"

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND (1000 * MICROSECOND)
#define SECOND (1000 * MILLISECOND)

/* Few nodes meet each other often, many load the links: both find their own bugs. */
static unsigned draw_nodes(struct rng *rng)
{
    static const unsigned most[] = {2, 2, 3, 4, 6, 8, 12, 32};
    unsigned limit = most[rng_below(rng, sizeof most / sizeof *most)];
    return limit == 2 ? 2 : (unsigned)rng_between(rng, 3, limit);
}

static uint32_t chance(struct rng *rng, uint32_t percent)
{
    return (uint32_t)rng_below(rng, percent * (WEFT_SIM_MILLION / 100) + 1);
}

static void draw_faults(struct rng *rng, struct weft_sim_config *world)
{
    static const uint32_t worst[] = {0, 1, 2, 5, 10, 20};
    uint32_t percent = worst[rng_below(rng, sizeof worst / sizeof *worst)];
    if (percent == 20) {
        world->loss = world->duplicate = world->reorder = WEFT_SIM_MILLION / 5;
    } else {
        world->loss = chance(rng, percent);
        world->duplicate = chance(rng, percent);
        world->reorder = chance(rng, percent);
    }
    if (world->reorder)
        world->reorder_delay = rng_magnitude(rng, 100 * MICROSECOND);
}

static void draw_world(struct rng *rng, struct weft_sim_config *world)
{
    world->packet_size = (uint32_t)rng_between(rng, 600, rng_one_in(rng, 3) ? 1024 : 8192);
    world->latency = 50 + rng_magnitude(rng, 20 * MICROSECOND);
    world->bandwidth = rng_one_in(rng, 4) ? 0 : 500 + rng_magnitude(rng, 50000);
    world->reliable = rng_one_in(rng, 3);
    /* Nobody must take a slow node for a dead one: by far longer than all of a window takes. */
    world->timeout =
        world->reliable ? MILLISECOND + rng_magnitude(rng, 20 * MILLISECOND) : 200 * MILLISECOND;
    if (!world->reliable)
        draw_faults(rng, world);
    world->limit = 20 * SECOND;
}

static void draw_crashes(struct rng *rng, struct scenario *scenario)
{
    if (!rng_one_in(rng, 3))
        return;
    scenario->crash_count = 1 + rng_one_in(rng, 3);
    for (unsigned i = 0; i < scenario->crash_count; i++) {
        scenario->crashes[i].node = (unsigned)rng_below(rng, scenario->world.nodes);
        scenario->crashes[i].when = rng_magnitude(rng, MILLISECOND);
    }
}

static void draw_interfaces(struct rng *rng, struct scenario *scenario)
{
    static const unsigned kinds[4] = {
        PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_NI_MATCHING | PTL_NI_PHYSICAL,
        PTL_NI_NO_MATCHING | PTL_NI_LOGICAL, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL};
    /* Matching has far more to get wrong. */
    size_t first = rng_one_in(rng, 5) ? 2 + rng_below(rng, 2) : rng_below(rng, 2);
    scenario->interface = kinds[first];
    scenario->chain_interface = kinds[(first + 1 + rng_below(rng, 3)) % 4];
    for (ptl_rank_t i = 0; i < scenario->world.nodes; i++) {
        size_t other = rng_below(rng, i + 1);
        scenario->ranks[i] = scenario->ranks[other];
        scenario->ranks[other] = i;
    }
}

static void draw_limits(struct rng *rng, struct scenario *scenario)
{
    if (rng_one_in(rng, 4))
        scenario->limits.max_unexpected_headers = (int)rng_between(rng, 1, 12);
    if (rng_one_in(rng, 4))
        scenario->limits.max_list_size = (int)rng_between(rng, 2, 12);
    if (rng_one_in(rng, 4))
        scenario->limits.max_entries = (int)rng_between(rng, 4, 24);
    scenario->queue_length = rng_one_in(rng, 3) ? (uint32_t)rng_between(rng, 1, 24) : 256;
}

struct scenario scenario_draw(uint64_t seed, struct run_wish wish)
{
    struct rng rng = rng_stream(seed, 0);
    struct scenario scenario = {.seed = seed};
    unsigned wanted = draw_nodes(&rng);
    scenario.world.nodes = wish.nodes ? wish.nodes : wanted;
    scenario.world.seed = rng_next(&rng);
    draw_world(&rng, &scenario.world);
    draw_crashes(&rng, &scenario);
    draw_interfaces(&rng, &scenario);
    draw_limits(&rng, &scenario);
    /* The more nodes the fewer steps, so that no seed takes much longer than another. */
    unsigned steps = 2000 / scenario.world.nodes;
    scenario.steps = (unsigned)rng_between(&rng, steps / 8, steps);
    scenario.longest = (uint32_t)(rng_one_in(&rng, 3) ? rng_magnitude(&rng, 16384) : 16384);
    scenario.pace = (uint32_t)rng_magnitude(&rng, 20 * MICROSECOND);
    /* Where nodes talk little, nothing hides that a failure or a lost packet was not noticed. */
    scenario.is_sparse = rng_one_in(&rng, 3);
    /* Many entries make the tables of the NIC grow. */
    bool is_crowded = rng_one_in(&rng, 12);
    scenario.crowd = is_crowded ? 600 / scenario.world.nodes : 8;
    scenario.bits = is_crowded ? 64 : 4;
    if (wish.has_paths)
        run_draw_paths(seed, &scenario.world);
    return scenario;
}

static const char *interface_name(unsigned interface)
{
    if (interface & PTL_NI_MATCHING)
        return interface & PTL_NI_LOGICAL ? "matching logical" : "matching physical";
    return interface & PTL_NI_LOGICAL ? "non-matching logical" : "non-matching physical";
}

void scenario_print(const struct scenario *scenario)
{
    const struct weft_sim_config *world = &scenario->world;
    tap_note("seed %" PRIu64 ": %u nodes%s, %s (chains %s), %u steps, messages up to %u B",
             scenario->seed, world->nodes, scenario->is_sparse ? " that talk little" : "",
             interface_name(scenario->interface), interface_name(scenario->chain_interface),
             scenario->steps, scenario->longest);
    tap_note("  %s, packets of %u B, latency %" PRIu64 " ns, %" PRIu64
             " B/us, in a million %u lost, %u twice, %u late",
             world->reliable ? "reliable" : "lossy", world->packet_size, world->latency,
             world->bandwidth, world->loss, world->duplicate, world->reorder);
    if (world->paths)
        tap_note("  %u paths, each %" PRIu64 " ns longer", world->paths, world->path_delay);
    tap_note("  limits: %d headers, %d in a list, %d entries, queues of %u",
             scenario->limits.max_unexpected_headers, scenario->limits.max_list_size,
             scenario->limits.max_entries, scenario->queue_length);
    for (unsigned i = 0; i < scenario->crash_count; i++)
        tap_note("  node %u crashes at %" PRIu64 " ns", scenario->crashes[i].node,
                 scenario->crashes[i].when);
}
