/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/switch.h"

#include <stdlib.h>

#include "sim/flight.h"
#include "sim/wire.h"

/* Where a node is plugged in. */
struct port {
    struct weft_sim_wire in;
    struct weft_sim_wire out;
    struct weft_sim_queue queue; /* packets that have not left the link */
    struct port *next;           /* of those that wait for room */
    uint64_t random;             /* for its faults */
};

struct hub {
    struct weft_sim_network network; /* first */
    struct weft_sim_switch_config config;
    uint64_t held;              /* bytes that are in it, or on a link to it */
    struct port *first_waiting; /* whose link has a packet that does not begin to leave */
    struct port **end;
    struct port ports[];
};

static void enter(void *argument);

/* False if there is no room. */
static bool begin(struct hub *hub, struct port *port)
{
    struct weft_sim_packet *packet = port->queue.first;
    if (packet->size > hub->config.buffer - hub->held)
        return false;
    hub->held += packet->size;
    packet->departure = weft_sim_wire_pass(&port->in, hub->network.engine->now,
                                           hub->config.network.bandwidth, packet->size);
    weft_sim_engine_post(hub->network.engine, packet->departure, enter, packet);
    return true;
}

static void admit(struct hub *hub)
{
    while (hub->first_waiting && begin(hub, hub->first_waiting)) {
        hub->first_waiting = hub->first_waiting->next;
        if (!hub->first_waiting)
            hub->end = &hub->first_waiting;
    }
}

static void line_up(struct hub *hub, struct port *port)
{
    port->next = NULL;
    *hub->end = port;
    hub->end = &port->next;
    admit(hub);
}

static void leave(void *argument)
{
    struct weft_sim_packet *packet = argument;
    struct hub *hub = (struct hub *)packet->network;
    hub->held -= packet->size;
    weft_sim_flight_begin(packet, &hub->config.network, &hub->ports[packet->source].random);
    admit(hub);
}

static uint64_t rate_to(const struct hub *hub, uint32_t node)
{
    return hub->config.sinks ? hub->config.sinks[node] : hub->config.network.bandwidth;
}

static void enter(void *argument)
{
    struct weft_sim_packet *packet = argument;
    struct hub *hub = (struct hub *)packet->network;
    struct weft_sim_network *network = &hub->network;
    uint32_t node = packet->source, target = packet->target;
    uint64_t out = network->engine->now;
    weft_sim_queue_take(&hub->ports[node].queue);
    if (target != WEFT_SIM_NOWHERE)
        out = weft_sim_wire_pass(&hub->ports[target].out, out, rate_to(hub, target), packet->size);
    weft_sim_engine_post(network->engine, out, leave, packet);
    if (hub->ports[node].queue.count)
        line_up(hub, &hub->ports[node]);
    if (network->user.room)
        network->user.room(network->user.self, node);
}

/* ---- The network -------------------------------------------------------------------------- */

static void inject(struct weft_sim_network *network, struct weft_sim_packet *packet)
{
    struct hub *hub = (struct hub *)network;
    struct port *port = &hub->ports[packet->source];
    weft_sim_queue_append(&port->queue, packet);
    if (port->queue.count == 1)
        line_up(hub, port);
}

static bool has_room(const struct weft_sim_network *network, uint32_t node)
{
    return ((const struct hub *)network)->ports[node].queue.count < WEFT_SIM_QUEUE;
}

static const struct weft_sim_network_ops operations = {.has_room = has_room, .inject = inject};

struct weft_sim_network *weft_sim_switch_create(struct weft_sim_engine *engine,
                                                const struct weft_sim_network_user *user,
                                                const struct weft_sim_switch_config *config)
{
    uint32_t nodes = config->network.nodes;
    struct hub *hub = calloc(1, sizeof *hub + nodes * sizeof *hub->ports);
    if (!hub)
        return NULL;
    hub->network = (struct weft_sim_network){.ops = &operations, .engine = engine, .user = *user};
    hub->config = *config;
    hub->end = &hub->first_waiting;
    for (uint32_t i = 0; i < nodes; i++) {
        weft_sim_queue_init(&hub->ports[i].queue);
        hub->ports[i].random = weft_sim_flight_random(config->network.seed, i);
    }
    return &hub->network;
}
