/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to other nodes, and how a reliable world tells of those that lead nowhere. */
#include <stdlib.h>

#include "nic/nic.h"
#include "world/sim/state.h"

#define FIRST_ROOM 8u

/* Where the address is, or would be. There is always a free slot. */
static struct weft_sim_route **slot_of(const struct weft_sim_routes *routes,
                                       struct weft_nic_address address)
{
    uint64_t hash = weft_nic_address_hash(address);
    uint32_t i = (uint32_t)hash & (routes->room - 1);
    while (routes->slots[i] && !weft_nic_address_is(routes->slots[i]->route.address, address))
        i = (i + 1) & (routes->room - 1);
    return &routes->slots[i];
}

static bool grow(struct weft_sim_routes *routes)
{
    struct weft_sim_routes wide = {.room = routes->room ? 2 * routes->room : FIRST_ROOM,
                                   .count = routes->count};
    wide.slots = calloc(wide.room, sizeof(struct weft_sim_route *));
    if (!wide.slots)
        return false;
    for (uint32_t i = 0; i < routes->room; i++)
        if (routes->slots[i])
            *slot_of(&wide, routes->slots[i]->route.address) = routes->slots[i];
    free(routes->slots);
    *routes = wide;
    return true;
}

void weft_sim_routes_fini(struct weft_sim_routes *routes)
{
    for (uint32_t i = 0; i < routes->room; i++)
        free(routes->slots[i]);
    free(routes->slots);
}

static struct weft_sim_node *node_at(struct weft_sim *sim, struct weft_nic_address address)
{
    bool exists =
        address.pid == WEFT_SIM_PID && address.nid >= 1 && address.nid <= sim->config.nodes;
    return exists ? &sim->nodes[address.nid - 1] : NULL;
}

static void fail(void *argument)
{
    struct weft_sim_route *route = argument;
    struct weft_sim_node *node = weft_sim_node_of(route->route.world);
    *node->failed_end = route;
    node->failed_end = &route->next_failed;
    weft_sim_node_step(node);
}

static void fail_later(struct weft_sim *sim, struct weft_sim_route *route)
{
    weft_sim_engine_post(&sim->engine, weft_sim_later(sim->engine.now, sim->config.timeout), fail,
                         route);
}

static void connect_to(struct weft_sim_route *route, struct weft_sim *sim)
{
    struct weft_sim_node *target = route->target;
    if (target && !target->gone) {
        route->next_to_target = target->routes_here;
        target->routes_here = route;
    } else if (sim->config.reliable) {
        fail_later(sim, route);
    }
}

struct weft_nic_route *weft_sim_route(struct weft_nic_world *world,
                                      struct weft_nic_address address)
{
    struct weft_sim_node *node = weft_sim_node_of(world);
    struct weft_sim_routes *routes = &node->routes;
    if (2 * (routes->count + 1) > routes->room && !grow(routes))
        return NULL;
    struct weft_sim_route **slot = slot_of(routes, address);
    if (*slot)
        return &(*slot)->route;
    struct weft_sim_route *route = calloc(1, sizeof *route);
    if (!route)
        return NULL;
    route->route = (struct weft_nic_route){.world = world, .address = address};
    route->target = node_at(node->sim, address);
    *slot = route;
    routes->count++;
    connect_to(route, node->sim);
    return &route->route;
}

void weft_sim_route_lose(struct weft_sim_node *target)
{
    struct weft_sim *sim = target->sim;
    if (!sim->config.reliable)
        return;
    for (struct weft_sim_route *route = target->routes_here; route; route = route->next_to_target)
        fail_later(sim, route);
}

void weft_sim_check(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_sim_node *node = weft_sim_node_of(world);
    /* What a dead node sent before it died comes before the news of its death. */
    while (node->failed && !weft_sim_inbox_has(node, node->failed->target)) {
        struct weft_sim_route *route = node->failed;
        node->failed = route->next_failed;
        if (!node->failed)
            node->failed_end = &node->failed;
        route->route.failed = true;
        weft_nic_peer_failed(nic, route->route.address);
    }
}
