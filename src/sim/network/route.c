/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/network/route.h"

static bool is_home(const struct weft_sim_topology *topology, uint32_t router,
                    const struct weft_sim_way *route)
{
    return topology->homes[route->target].router == router;
}

bool weft_sim_route_is_open(const struct weft_sim_routing *routing,
                            const struct weft_sim_topology *topology, uint32_t router,
                            const struct weft_sim_way *route)
{
    if (routing->kind == WEFT_SIM_MINIMAL || is_home(topology, router, route))
        return false;
    if (route->hops == 0)
        return true;
    return routing->kind == WEFT_SIM_PROGRESSIVE && route->leg == WEFT_SIM_DIRECT &&
           topology->ops->may_turn(topology, router, route);
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
                   struct weft_sim_way *route, const struct weft_sim_loads *loads,
                   uint64_t *random)
{
    route->leg = WEFT_SIM_DIRECT;
    struct weft_sim_way away = *route;
    away.leg = WEFT_SIM_AWAY;
    away.via = topology->ops->detour(topology, router, route, random);
    if (away.via != WEFT_SIM_NO_PLACE && is_better(routing, topology, router, route, &away, loads))
        *route = away;
}

struct weft_sim_hop weft_sim_route_next(const struct weft_sim_routing *routing,
                                        const struct weft_sim_topology *topology, uint32_t router,
                                        struct weft_sim_way *route,
                                        const struct weft_sim_loads *loads, uint64_t *random)
{
    if (weft_sim_route_is_open(routing, topology, router, route))
        decide(routing, topology, router, route, loads, random);
    else if (route->leg == WEFT_SIM_AWAY && topology->ops->is_there(topology, router, route->via))
        route->leg = WEFT_SIM_BACK;
    if (is_home(topology, router, route))
        return (struct weft_sim_hop){topology->homes[route->target].port, 0};
    return topology->ops->hop(topology, router, route);
}
