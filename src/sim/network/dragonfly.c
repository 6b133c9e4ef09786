/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A dragonfly: routers of a group are all connected, and each two groups are connected by one
 * link. Ports of a router: its nodes, the others of its group, other groups. A detour leads
 * through another group, at whichever of its routers the packet arrives.
 *
 * The longest way is local (towards the gate), local (to another gate, when it turns), global,
 * local, global, local. Channels are numbered in that order for each kind of link, so no packet
 * waits for one behind it.
 */
#include "sim/network/topology.h"

enum { NODES, ROUTERS, GLOBALS, GROUPS };

static uint32_t group_of(const struct weft_sim_topology *dragonfly, uint32_t router)
{
    return router / dragonfly->shape[ROUTERS];
}

static uint32_t place_of(const struct weft_sim_topology *dragonfly, uint32_t router)
{
    return router % dragonfly->shape[ROUTERS];
}

/* The port from one router of a group to another; places skip one's own. */
static uint32_t local_port(const struct weft_sim_topology *dragonfly, uint32_t from, uint32_t to)
{
    return dragonfly->shape[NODES] + (to < from ? to : to - 1);
}

/* Which global link of a group leads to another: they skip its own, too. */
static uint32_t link_to(uint32_t group, uint32_t other)
{
    return other < group ? other : other - 1;
}

static uint32_t global_port(const struct weft_sim_topology *dragonfly, uint32_t link)
{
    const uint32_t *shape = dragonfly->shape;
    return shape[NODES] + shape[ROUTERS] - 1 + link % shape[GLOBALS];
}

/* ---- Ways --------------------------------------------------------------------------------- */

static struct weft_sim_hop hop_in_group(const struct weft_sim_topology *dragonfly, uint32_t router,
                                        uint32_t place, uint32_t channel)
{
    uint32_t port = local_port(dragonfly, place_of(dragonfly, router), place);
    return (struct weft_sim_hop){(uint16_t)port, (uint16_t)channel};
}

static struct weft_sim_hop hop_to_group(const struct weft_sim_topology *dragonfly, uint32_t router,
                                        uint32_t group, const struct weft_sim_way *way)
{
    uint32_t link = link_to(group_of(dragonfly, router), group);
    uint32_t gate = link / dragonfly->shape[GLOBALS];
    if (gate == place_of(dragonfly, router))
        return (struct weft_sim_hop){(uint16_t)global_port(dragonfly, link),
                                     way->leg == WEFT_SIM_AWAY ? 0 : 1};
    return hop_in_group(dragonfly, router, gate, way->globals ? 2 : way->locals);
}

static uint32_t target_router(const struct weft_sim_topology *dragonfly,
                              const struct weft_sim_way *way)
{
    return dragonfly->homes[way->target].router;
}

static struct weft_sim_hop hop(const struct weft_sim_topology *dragonfly, uint32_t router,
                               const struct weft_sim_way *way)
{
    uint32_t target = target_router(dragonfly, way);
    uint32_t group = way->leg == WEFT_SIM_AWAY ? way->via : group_of(dragonfly, target);
    if (group == group_of(dragonfly, router))
        return hop_in_group(dragonfly, router, place_of(dragonfly, target), 3);
    return hop_to_group(dragonfly, router, group, way);
}

/* Neither the group where it is nor that of its target. */
static uint32_t detour(const struct weft_sim_topology *dragonfly, uint32_t router,
                       const struct weft_sim_way *way, uint64_t *random)
{
    uint32_t here = group_of(dragonfly, router);
    uint32_t there = group_of(dragonfly, target_router(dragonfly, way));
    if (here == there || dragonfly->shape[GROUPS] < 3)
        return WEFT_SIM_NO_PLACE;
    uint32_t place = weft_sim_topology_draw(random, dragonfly->shape[GROUPS] - 2);
    place += place >= (here < there ? here : there);
    place += place >= (here < there ? there : here);
    return place;
}

static bool is_there(const struct weft_sim_topology *dragonfly, uint32_t router, uint32_t place)
{
    return group_of(dragonfly, router) == place;
}

static bool may_turn(const struct weft_sim_topology *dragonfly, uint32_t router,
                     const struct weft_sim_way *way)
{
    return way->globals == 0 &&
           group_of(dragonfly, router) != group_of(dragonfly, target_router(dragonfly, way));
}

static const struct weft_sim_topology_ops operations = {
    .hop = hop, .detour = detour, .is_there = is_there, .may_turn = may_turn};

/* ---- Links -------------------------------------------------------------------------------- */

static void plug_group(struct weft_sim_topology *dragonfly, uint32_t router)
{
    uint32_t own = place_of(dragonfly, router), first = router - own;
    for (uint32_t place = 0; place < dragonfly->shape[ROUTERS]; place++)
        if (place != own)
            weft_sim_topology_plug(dragonfly, router, local_port(dragonfly, own, place),
                                   first + place, local_port(dragonfly, place, own),
                                   WEFT_SIM_LOCAL);
}

static void plug_globals(struct weft_sim_topology *dragonfly, uint32_t router)
{
    const uint32_t *shape = dragonfly->shape;
    uint32_t group = group_of(dragonfly, router);
    for (uint32_t i = 0; i < shape[GLOBALS]; i++) {
        uint32_t link = place_of(dragonfly, router) * shape[GLOBALS] + i;
        uint32_t other = link < group ? link : link + 1, back = link_to(other, group);
        weft_sim_topology_plug(dragonfly, router, global_port(dragonfly, link),
                               other * shape[ROUTERS] + back / shape[GLOBALS],
                               global_port(dragonfly, back), WEFT_SIM_GLOBAL);
    }
}

struct weft_sim_topology *weft_sim_dragonfly_create(uint32_t nodes, uint32_t routers,
                                                    uint32_t globals)
{
    if (!nodes || !routers || !globals || nodes > 4096 || routers > 4096 || globals > 4096)
        return NULL;
    uint64_t groups = (uint64_t)routers * globals + 1;
    if (groups * routers * nodes > UINT32_MAX / 64)
        return NULL;
    struct weft_sim_topology *dragonfly = weft_sim_topology_create(
        &(struct weft_sim_topology){.ops = &operations,
                                    .nodes = (uint32_t)groups * routers * nodes,
                                    .routers = (uint32_t)groups * routers,
                                    .radix = nodes + routers - 1 + globals,
                                    .channels = 4,
                                    .shape = {nodes, routers, globals, (uint32_t)groups}});
    for (uint32_t node = 0; dragonfly && node < dragonfly->nodes; node++)
        weft_sim_topology_plug_node(dragonfly, node, node / nodes, node % nodes);
    for (uint32_t router = 0; dragonfly && router < dragonfly->routers; router++) {
        plug_group(dragonfly, router);
        plug_globals(dragonfly, router);
    }
    return dragonfly;
}
