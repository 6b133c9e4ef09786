/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A torus of two or three dimensions. A packet goes along x, then y, then z, in each the shorter
 * way round. Of the two channels of a leg, it is on the first while the way leads over the seam,
 * where coordinates start again: so nobody waits for itself around the ring. A detour leads
 * through any other router, on two channels of its own.
 */
#include "sim/network/topology.h"

enum { DIMENSIONS = 3, NODES = 3 };

static uint32_t coordinate(const struct weft_sim_topology *torus, uint32_t router,
                           uint32_t dimension)
{
    for (uint32_t i = 0; i < dimension; i++)
        router /= torus->shape[i];
    return router % torus->shape[dimension];
}

static uint32_t unit_of(const struct weft_sim_topology *torus, uint32_t dimension)
{
    uint32_t unit = 1;
    for (uint32_t i = 0; i < dimension; i++)
        unit *= torus->shape[i];
    return unit;
}

/* Behind the nodes, two ports for each dimension: forwards and backwards. */
static uint32_t port_of(const struct weft_sim_topology *torus, uint32_t dimension, bool backwards)
{
    return torus->shape[NODES] + 2 * dimension + backwards;
}

static struct weft_sim_hop hop(const struct weft_sim_topology *torus, uint32_t router,
                               const struct weft_sim_way *way)
{
    bool is_away = way->leg == WEFT_SIM_AWAY;
    uint32_t goal = is_away ? way->via : torus->homes[way->target].router;
    uint32_t dimension = 0, from, to;
    for (;; dimension++) {
        from = coordinate(torus, router, dimension);
        to = coordinate(torus, goal, dimension);
        if (from != to)
            break;
    }
    uint32_t forwards = to > from ? to - from : to + torus->shape[dimension] - from;
    bool backwards = 2 * forwards > torus->shape[dimension];
    bool has_seam_ahead = backwards ? to > from : to < from;
    return (struct weft_sim_hop){(uint16_t)port_of(torus, dimension, backwards),
                                 (uint16_t)((is_away ? 0 : 2) + (has_seam_ahead ? 0 : 1))};
}

static uint32_t detour(const struct weft_sim_topology *torus, uint32_t router,
                       const struct weft_sim_way *way, uint64_t *random)
{
    (void)way;
    if (torus->routers < 2)
        return WEFT_SIM_NO_PLACE;
    uint32_t place = weft_sim_topology_draw(random, torus->routers - 1);
    return place + (place >= router);
}

static bool is_there(const struct weft_sim_topology *torus, uint32_t router, uint32_t place)
{
    (void)torus;
    return router == place;
}

/* The channels of a detour come first. */
static bool may_turn(const struct weft_sim_topology *torus, uint32_t router,
                     const struct weft_sim_way *way)
{
    (void)torus;
    (void)router;
    (void)way;
    return false;
}

static const struct weft_sim_topology_ops operations = {
    .hop = hop, .detour = detour, .is_there = is_there, .may_turn = may_turn};

static void plug_ring(struct weft_sim_topology *torus, uint32_t router, uint32_t dimension)
{
    uint32_t size = torus->shape[dimension], unit = unit_of(torus, dimension);
    uint32_t own = coordinate(torus, router, dimension);
    uint32_t next = router + ((own + 1) % size) * unit - own * unit;
    weft_sim_topology_plug(torus, router, port_of(torus, dimension, false), next,
                           port_of(torus, dimension, true), WEFT_SIM_LOCAL);
    weft_sim_topology_plug(torus, next, port_of(torus, dimension, true), router,
                           port_of(torus, dimension, false), WEFT_SIM_LOCAL);
}

struct weft_sim_topology *weft_sim_torus_create(uint32_t x, uint32_t y, uint32_t z, uint32_t nodes)
{
    if (!x || !y || !z || !nodes || x > 4096 || y > 4096 || z > 4096 || nodes > 4096 ||
        (uint64_t)x * y * z * nodes > UINT32_MAX / 64)
        return NULL;
    struct weft_sim_topology *torus =
        weft_sim_topology_create(&(struct weft_sim_topology){.ops = &operations,
                                                             .nodes = x * y * z * nodes,
                                                             .routers = x * y * z,
                                                             .radix = nodes + 2 * DIMENSIONS,
                                                             .channels = 4,
                                                             .shape = {x, y, z, nodes}});
    for (uint32_t node = 0; torus && node < torus->nodes; node++)
        weft_sim_topology_plug_node(torus, node, node / nodes, node % nodes);
    for (uint32_t router = 0; torus && router < torus->routers; router++)
        for (uint32_t dimension = 0; dimension < DIMENSIONS; dimension++)
            if (torus->shape[dimension] > 1)
                plug_ring(torus, router, dimension);
    return torus;
}
