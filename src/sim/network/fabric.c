/* SPDX-License-Identifier: BSD-3-Clause */
/* Links, credits and nodes: what is between routers (router.c) and the user of the network. */
#include "sim/network/fabric.h"

#include <stdlib.h>

#include "sim/network/router.h"

static struct weft_sim_fabric *fabric_of(const struct weft_sim_network *network)
{
    return (struct weft_sim_fabric *)network;
}

static uint64_t now_of(const struct weft_sim_fabric *fabric)
{
    return fabric->network.engine->now;
}

static struct weft_sim_account *account_of(const struct weft_sim_fabric *fabric, uint32_t port,
                                           uint32_t channel)
{
    return &fabric->accounts[(size_t)port * fabric->channels + channel];
}

/* ---- Credits ------------------------------------------------------------------------------ */

static void depart(struct weft_sim_fabric *fabric, uint32_t node);

static void return_credit(void *argument)
{
    struct weft_sim_account *account = argument;
    struct weft_sim_fabric *fabric = account->port->fabric;
    uint32_t port = (uint32_t)(account->port - fabric->all_ports);
    account->credits++;
    account->returning--;
    account->port->used--;
    if (port < fabric->ports)
        weft_sim_router_serve(fabric, port);
    else
        depart(fabric, port - fabric->ports);
}

void weft_sim_fabric_leave(struct weft_sim_fabric *fabric, uint32_t at, uint32_t channel,
                           uint64_t when)
{
    struct weft_sim_account *account = account_of(fabric, fabric->all_ports[at].far, channel);
    account->returning++;
    weft_sim_engine_post(fabric->network.engine, when + weft_sim_fabric_latency(fabric, at),
                         return_credit, account);
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static void deliver(void *argument)
{
    struct weft_sim_freight *freight = argument;
    struct weft_sim_fabric *fabric = fabric_of(freight->packet.network);
    account_of(fabric, fabric->all_ports[freight->at].far, freight->channel)->flying--;
    weft_sim_fabric_leave(fabric, freight->at, freight->channel, now_of(fabric));
    weft_sim_network_deliver(&freight->packet);
}

/* A node takes a packet as it comes, flit by flit, or later and slower. */
static void sink(struct weft_sim_fabric *fabric, struct weft_sim_freight *freight, uint64_t head)
{
    const struct weft_sim_fabric_config *config = &fabric->config;
    struct weft_sim_berth *berth = &fabric->berths[freight->packet.target];
    uint64_t slowness = config->sinks ? config->sinks[freight->packet.target] : 1;
    berth->idle =
        (berth->idle > head ? berth->idle : head) + slowness * freight->flits * config->flit_time;
    weft_sim_engine_post(fabric->network.engine, berth->idle, deliver, freight);
}

void weft_sim_fabric_send(struct weft_sim_fabric *fabric, struct weft_sim_freight *freight,
                          uint32_t output, uint32_t channel, uint64_t ready)
{
    struct weft_sim_port *port = &fabric->all_ports[output];
    struct weft_sim_account *account = account_of(fabric, output, channel);
    uint64_t flit = fabric->config.flit_time, begin = port->free > ready ? port->free : ready;
    uint64_t head = begin + weft_sim_fabric_latency(fabric, output);
    account->credits--;
    account->flying++;
    port->used++;
    port->free = begin + freight->flits * flit;
    freight->tail = head + (freight->flits - 1u) * flit;
    freight->at = port->far;
    freight->channel = (uint16_t)channel;
    weft_sim_route_pass(&freight->route, port->reach);
    if (port->far >= fabric->ports)
        sink(fabric, freight, head);
    else
        weft_sim_engine_post(fabric->network.engine, head, weft_sim_router_arrive, freight);
}

static void link_is_free(void *argument)
{
    const struct weft_sim_port *port = argument;
    struct weft_sim_fabric *fabric = port->fabric;
    uint32_t node = (uint32_t)(port - fabric->all_ports) - fabric->ports;
    fabric->berths[node].is_timed = false;
    depart(fabric, node);
}

/* Packets of nodes begin on channel 0. */
static void depart(struct weft_sim_fabric *fabric, uint32_t node)
{
    struct weft_sim_berth *berth = &fabric->berths[node];
    struct weft_sim_port *port = &fabric->all_ports[fabric->ports + node];
    if (!berth->queue.count || !account_of(fabric, fabric->ports + node, 0)->credits)
        return;
    if (port->free > now_of(fabric)) {
        if (!berth->is_timed)
            weft_sim_engine_post(fabric->network.engine, port->free, link_is_free, port);
        berth->is_timed = true;
        return;
    }
    struct weft_sim_packet *packet = weft_sim_queue_take(&berth->queue);
    weft_sim_fabric_send(fabric, weft_sim_freight_of(packet), fabric->ports + node, 0,
                         now_of(fabric));
    packet->departure = port->free;
    if (fabric->network.user.room)
        fabric->network.user.room(fabric->network.user.self, node);
}

/* ---- The network -------------------------------------------------------------------------- */

static void inject(struct weft_sim_network *network, struct weft_sim_packet *packet)
{
    struct weft_sim_fabric *fabric = fabric_of(network);
    struct weft_sim_freight *freight = weft_sim_freight_of(packet);
    uint32_t size = fabric->config.flit_size;
    freight->route = (struct weft_sim_way){.target = packet->target};
    freight->flits = (uint16_t)((packet->size + size - 1) / size);
    freight->is_marked = false;
    weft_sim_queue_append(&fabric->berths[packet->source].queue, packet);
    depart(fabric, packet->source);
}

static bool has_room(const struct weft_sim_network *network, uint32_t node)
{
    const struct weft_sim_fabric *fabric = fabric_of(network);
    return fabric->berths[node].queue.count < fabric->config.queue;
}

static uint64_t room_at(const struct weft_sim_network *network, uint32_t node)
{
    (void)network;
    (void)node;
    return WEFT_SIM_NEVER;
}

static void fini(struct weft_sim_network *network)
{
    struct weft_sim_fabric *fabric = fabric_of(network);
    free(fabric->all_ports);
    free(fabric->lines);
    free(fabric->accounts);
    free(fabric->wanted);
    free(fabric->busy);
    free(fabric->berths);
}

static const struct weft_sim_network_ops operations = {
    .has_room = has_room, .room_at = room_at, .inject = inject, .fini = fini};

/* ---- Making one --------------------------------------------------------------------------- */

static bool allocate(struct weft_sim_fabric *fabric)
{
    size_t all = (size_t)fabric->ports + fabric->nodes, channels = fabric->channels;
    fabric->all_ports = calloc(all, sizeof *fabric->all_ports);
    fabric->accounts = calloc(all * channels, sizeof *fabric->accounts);
    fabric->lines = calloc(fabric->ports * channels, sizeof *fabric->lines);
    fabric->wanted = calloc(fabric->ports * channels * fabric->words, sizeof *fabric->wanted);
    fabric->busy =
        calloc((size_t)fabric->config.topology->routers * fabric->words, sizeof *fabric->busy);
    fabric->berths = calloc(fabric->nodes, sizeof *fabric->berths);
    return fabric->all_ports && fabric->accounts && fabric->lines && fabric->wanted &&
           fabric->busy && fabric->berths;
}

static void plug_in(struct weft_sim_fabric *fabric, uint32_t port)
{
    const struct weft_sim_topology *topology = fabric->config.topology;
    struct weft_sim_port *made = &fabric->all_ports[port];
    made->fabric = fabric;
    if (port >= fabric->ports) {
        const struct weft_sim_home *home = &topology->homes[port - fabric->ports];
        made->far = home->router * fabric->radix + home->port;
        made->reach = WEFT_SIM_NODE;
        return;
    }
    const struct weft_sim_plug *plug = &topology->plugs[port];
    made->router = port / fabric->radix;
    made->reach = (uint8_t)plug->reach;
    made->far = plug->reach == WEFT_SIM_NODE ? fabric->ports + plug->peer
                                             : plug->peer * fabric->radix + plug->port;
}

static void fill_in(struct weft_sim_fabric *fabric)
{
    for (uint32_t port = 0; port < fabric->ports + fabric->nodes; port++) {
        plug_in(fabric, port);
        for (uint32_t channel = 0; channel < fabric->channels; channel++)
            *account_of(fabric, port, channel) = (struct weft_sim_account){
                .port = &fabric->all_ports[port], .credits = (uint16_t)fabric->places};
    }
    for (uint32_t node = 0; node < fabric->nodes; node++)
        weft_sim_queue_init(&fabric->berths[node].queue);
}

struct weft_sim_network *weft_sim_fabric_create(struct weft_sim_engine *engine,
                                                const struct weft_sim_network_user *user,
                                                const struct weft_sim_fabric_config *config)
{
    const struct weft_sim_topology *topology = config->topology;
    struct weft_sim_fabric *fabric = malloc(sizeof *fabric);
    if (!fabric)
        return NULL;
    *fabric =
        (struct weft_sim_fabric){.network = {.ops = &operations, .engine = engine, .user = *user},
                                 .config = *config,
                                 .radix = topology->radix,
                                 .channels = topology->channels,
                                 .nodes = topology->nodes,
                                 .ports = topology->routers * topology->radix,
                                 .places = config->buffer / config->packet,
                                 .words = (topology->radix * topology->channels + 63) / 64,
                                 .random = config->seed};
    if (!allocate(fabric)) {
        weft_sim_network_destroy(&fabric->network);
        return NULL;
    }
    fill_in(fabric);
    return &fabric->network;
}
