/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/network/route.h"

static bool is_home(const struct weft_sim_topology *topology, uint32_t router,
                    const struct weft_sim_way *way)
{
    return topology->homes[way->target].router == router;
}

bool weft_sim_route_is_open(const struct weft_sim_routing *routing,
                            const struct weft_sim_topology *topology, uint32_t router,
                            const struct weft_sim_way *way)
{
    if (routing->kind == WEFT_SIM_MINIMAL || is_home(topology, router, way))
        return false;
    if (way->hops == 0)
        return true;
    return routing->kind == WEFT_SIM_PROGRESSIVE && way->leg == WEFT_SIM_DIRECT &&
           topology->ops->may_turn(topology, router, way);
}

static bool is_better(const struct weft_sim_routing *routing,
                      const struct weft_sim_topology *topology, uint32_t router,
                      const struct weft_sim_way *direct, const struct weft_sim_way *away,
                      const struct weft_sim_loads *loads)
{
    if (routing->kind == WEFT_SIM_VALIANT)
        return true;
    struct weft_sim_hop hops[] = {topology->ops->hop(topology, router, direct),
                                  topology->ops->hop(topology, router, away)};
    if (hops[0].port == hops[1].port)
        return false;
    double waiting[2];
    for (unsigned i = 0; i < 2; i++)
        waiting[i] = loads->load(loads->self, router, hops[i], routing->by_channel);
    return waiting[0] > routing->bias * waiting[1] + routing->threshold;
}

static void decide(const struct weft_sim_routing *routing,
                   const struct weft_sim_topology *topology, uint32_t router,
                   struct weft_sim_way *way, const struct weft_sim_loads *loads, uint64_t *random)
{
    way->leg = WEFT_SIM_DIRECT;
    struct weft_sim_way away = *way;
    away.leg = WEFT_SIM_AWAY;
    away.via = topology->ops->detour(topology, router, way, random);
    if (away.via != WEFT_SIM_NO_PLACE && is_better(routing, topology, router, way, &away, loads))
        *way = away;
}

struct weft_sim_hop weft_sim_route_next(const struct weft_sim_routing *routing,
                                        const struct weft_sim_topology *topology, uint32_t router,
                                        struct weft_sim_way *way,
                                        const struct weft_sim_loads *loads, uint64_t *random)
{
    if (weft_sim_route_is_open(routing, topology, router, way))
        decide(routing, topology, router, way, loads, random);
    else if (way->leg == WEFT_SIM_AWAY && topology->ops->is_there(topology, router, way->via))
        way->leg = WEFT_SIM_BACK;
    if (is_home(topology, router, way))
        return (struct weft_sim_hop){topology->homes[way->target].port, 0};
    return topology->ops->hop(topology, router, way);
}
