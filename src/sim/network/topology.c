/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/network/topology.h"

#include <stdlib.h>

#include "base/random.h"

struct weft_sim_topology *weft_sim_topology_create(const struct weft_sim_topology *like)
{
    struct weft_sim_topology *topology = malloc(sizeof *topology);
    if (!topology)
        return NULL;
    *topology = *like;
    topology->plugs = calloc((size_t)like->routers * like->radix, sizeof *topology->plugs);
    topology->homes = calloc(like->nodes, sizeof *topology->homes);
    if (topology->plugs && topology->homes)
        return topology;
    weft_sim_topology_destroy(topology);
    return NULL;
}

void weft_sim_topology_destroy(struct weft_sim_topology *topology)
{
    if (!topology)
        return;
    free(topology->plugs);
    free(topology->homes);
    free(topology);
}

static struct weft_sim_plug *plug_of(struct weft_sim_topology *topology, uint32_t router,
                                     uint32_t port)
{
    return &topology->plugs[(size_t)router * topology->radix + port];
}

void weft_sim_topology_plug_node(struct weft_sim_topology *topology, uint32_t node,
                                 uint32_t router, uint32_t port)
{
    *plug_of(topology, router, port) = (struct weft_sim_plug){node, 0, WEFT_SIM_NODE};
    topology->homes[node] = (struct weft_sim_home){router, (uint16_t)port};
}

void weft_sim_topology_plug(struct weft_sim_topology *topology, uint32_t router, uint32_t port,
                            uint32_t peer, uint32_t peer_port, enum weft_sim_reach reach)
{
    *plug_of(topology, router, port) =
        (struct weft_sim_plug){peer, (uint16_t)peer_port, (uint16_t)reach};
}

uint32_t weft_sim_topology_draw(uint64_t *random, uint32_t below)
{
    return (uint32_t)((weft_random_next(random) >> 32) * below >> 32);
}
