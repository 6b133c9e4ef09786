/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/link.h"

#include <stdlib.h>

#include "sim/flight.h"
#include "sim/wire.h"

struct link {
    struct weft_sim_wire wire;
    uint64_t departures[WEFT_SIM_QUEUE]; /* of the last ones, a ring */
    uint32_t oldest;                     /* index in it */
    uint64_t random;                     /* for its faults */
};

struct links {
    struct weft_sim_network network; /* first */
    struct weft_sim_network_config config;
    struct link links[];
};

static const struct link *link_of(const struct weft_sim_network *network, uint32_t node)
{
    return &((const struct links *)network)->links[node];
}

static uint64_t room_at(const struct weft_sim_network *network, uint32_t node)
{
    const struct link *link = link_of(network, node);
    return link->departures[link->oldest];
}

static bool has_room(const struct weft_sim_network *network, uint32_t node)
{
    return room_at(network, node) <= network->engine->now;
}

static void inject(struct weft_sim_network *network, struct weft_sim_packet *packet)
{
    struct links *links = (struct links *)network;
    struct link *link = &links->links[packet->source];
    if (links->config.loops_back && packet->source == packet->target) {
        weft_sim_flight_land(packet);
        return;
    }
    uint64_t now = network->engine->now, begin = packet->departure > now ? packet->departure : now;
    packet->departure =
        weft_sim_wire_pass(&link->wire, begin, links->config.bandwidth, packet->size);
    link->departures[link->oldest] = packet->departure;
    link->oldest = (link->oldest + 1) % WEFT_SIM_QUEUE;
    weft_sim_flight_begin(packet, &links->config, &link->random);
}

static const struct weft_sim_network_ops operations = {
    .has_room = has_room, .room_at = room_at, .inject = inject};

struct weft_sim_network *weft_sim_link_create(struct weft_sim_engine *engine,
                                              const struct weft_sim_network_user *user,
                                              const struct weft_sim_network_config *config)
{
    struct links *links = calloc(1, sizeof *links + config->nodes * sizeof *links->links);
    if (!links)
        return NULL;
    links->network =
        (struct weft_sim_network){.ops = &operations, .engine = engine, .user = *user};
    links->config = *config;
    for (uint32_t i = 0; i < config->nodes; i++)
        links->links[i].random = weft_sim_flight_random(config->seed, i);
    return &links->network;
}
