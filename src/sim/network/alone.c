/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/network/fabric.h"

uint64_t weft_sim_fabric_alone(const struct weft_sim_fabric_config *config, uint32_t source,
                               uint32_t target, uint32_t flits)
{
    const struct weft_sim_topology *topology = config->topology;
    struct weft_sim_way way = {.target = target};
    uint32_t router = topology->homes[source].router, end = topology->homes[target].router;
    uint64_t time = 2 * (uint64_t)config->latency[WEFT_SIM_NODE] + config->pipeline;
    while (router != end) {
        struct weft_sim_hop hop = topology->ops->hop(topology, router, &way);
        const struct weft_sim_plug *plug = &topology->plugs[router * topology->radix + hop.port];
        weft_sim_route_pass(&way, plug->reach);
        time += config->pipeline + config->latency[plug->reach];
        router = plug->peer;
    }
    return time + (uint64_t)flits * config->flit_time;
}
