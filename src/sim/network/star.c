/* SPDX-License-Identifier: BSD-3-Clause */
/* One switch. Its router is every target's, so nobody asks for a way. */
#include "sim/network/topology.h"

struct weft_sim_topology *weft_sim_star_create(uint32_t nodes)
{
    if (!nodes || nodes > UINT16_MAX)
        return NULL;
    struct weft_sim_topology *star = weft_sim_topology_create(
        &(struct weft_sim_topology){.nodes = nodes, .routers = 1, .radix = nodes, .channels = 1});
    for (uint32_t node = 0; star && node < nodes; node++)
        weft_sim_topology_plug_node(star, node, 0, node);
    return star;
}
