/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology that is not in the library, as one would add it: a hypercube, whose routers are
 * connected with all those whose number differs in one bit. A packet corrects its bits from the
 * lowest to the highest; a detour leads through any router, on a channel of its own.
 * docs/simulation.md explains it.
 */
#ifndef WEFT_TESTS_SIM_NETWORK_HYPERCUBE_H
#define WEFT_TESTS_SIM_NETWORK_HYPERCUBE_H

#include "sim/network/topology.h"

static struct weft_sim_hop hypercube_hop(const struct weft_sim_topology *cube, uint32_t router,
                                         const struct weft_sim_way *way)
{
    bool is_away = way->leg == WEFT_SIM_AWAY;
    uint32_t goal = is_away ? way->via : cube->homes[way->target].router;
    uint32_t bit = (uint32_t)__builtin_ctz(router ^ goal);
    return (struct weft_sim_hop){(uint16_t)(1 + bit), is_away ? 0 : 1};
}

static uint32_t hypercube_detour(const struct weft_sim_topology *cube, uint32_t router,
                                 const struct weft_sim_way *way, uint64_t *random)
{
    (void)way;
    uint32_t place = weft_sim_topology_draw(random, cube->routers - 1);
    return place + (place >= router);
}

static bool hypercube_is_there(const struct weft_sim_topology *cube, uint32_t router,
                               uint32_t place)
{
    (void)cube;
    return router == place;
}

static bool hypercube_may_turn(const struct weft_sim_topology *cube, uint32_t router,
                               const struct weft_sim_way *way)
{
    (void)cube;
    (void)router;
    (void)way;
    return false;
}

static const struct weft_sim_topology_ops hypercube_operations = {.hop = hypercube_hop,
                                                                  .detour = hypercube_detour,
                                                                  .is_there = hypercube_is_there,
                                                                  .may_turn = hypercube_may_turn};

/* 2^bits routers, each with one node at port 0 and one link for each bit. */
static struct weft_sim_topology *hypercube_create(uint32_t bits)
{
    uint32_t routers = UINT32_C(1) << bits;
    struct weft_sim_topology *cube =
        weft_sim_topology_create(&(struct weft_sim_topology){.ops = &hypercube_operations,
                                                             .nodes = routers,
                                                             .routers = routers,
                                                             .radix = 1 + bits,
                                                             .channels = 2});
    for (uint32_t router = 0; cube && router < routers; router++) {
        weft_sim_topology_plug_node(cube, router, router, 0);
        for (uint32_t bit = 0; bit < bits; bit++)
            weft_sim_topology_plug(cube, router, 1 + bit, router ^ UINT32_C(1) << bit, 1 + bit,
                                   WEFT_SIM_LOCAL);
    }
    return cube;
}

#endif
