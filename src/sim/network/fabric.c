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

/* ---- Credits ------------------------------------------------------------------------------ */

static void depart(struct weft_sim_port *port);

static void return_credit(void *argument)
{
    struct weft_sim_account *account = argument;
    struct weft_sim_port *port =
        (struct weft_sim_port *)((char *)(account - account->channel) -
                                 offsetof(struct weft_sim_port, accounts));
    account->credits++;
    port->used--;
    port->fabric->returning--;
    if (port->number < port->fabric->ports)
        weft_sim_router_serve(port);
    else
        depart(port);
}

void weft_sim_fabric_leave(const struct weft_sim_port *input, uint32_t channel, uint64_t when)
{
    struct weft_sim_fabric *fabric = input->fabric;
    fabric->returning++;
    weft_sim_engine_post(fabric->network.engine, when + weft_sim_port_latency(input),
                         return_credit, &weft_sim_port_at(fabric, input->far)->accounts[channel]);
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static void deliver(void *argument)
{
    struct weft_sim_freight *freight = argument;
    struct weft_sim_fabric *fabric = fabric_of(freight->packet.network);
    fabric->flying--;
    weft_sim_fabric_leave(weft_sim_port_at(fabric, freight->at), freight->channel, now_of(fabric));
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

void weft_sim_fabric_send(struct weft_sim_freight *freight, struct weft_sim_port *output,
                          uint32_t channel, uint64_t ready)
{
    struct weft_sim_fabric *fabric = output->fabric;
    uint64_t begin = output->free > ready ? output->free : ready;
    uint64_t head = begin + weft_sim_port_latency(output);
    fabric->flying++;
    output->accounts[channel].credits--;
    output->used++;
    output->free = begin + (uint64_t)freight->flits * fabric->config.flit_time;
    freight->packet.departure = output->free;
    freight->at = output->far;
    freight->channel = (uint8_t)channel;
    weft_sim_route_pass(&freight->way, output->reach);
    if (output->far >= fabric->ports)
        sink(fabric, freight, head);
    else
        weft_sim_engine_post(fabric->network.engine, head, weft_sim_router_arrive, freight);
}

static struct weft_sim_berth *berth_of(const struct weft_sim_port *port)
{
    return &port->fabric->berths[port->number - port->fabric->ports];
}

static void link_is_free(void *argument)
{
    struct weft_sim_port *port = argument;
    berth_of(port)->is_timed = false;
    depart(port);
}

/* Packets of nodes begin on channel 0. */
static void depart(struct weft_sim_port *port)
{
    const struct weft_sim_network *network = &port->fabric->network;
    struct weft_sim_berth *berth = berth_of(port);
    if (!berth->queue.count || !port->accounts[0].credits)
        return;
    if (port->free > network->engine->now) {
        if (!berth->is_timed)
            weft_sim_engine_post(network->engine, port->free, link_is_free, port);
        berth->is_timed = true;
        return;
    }
    struct weft_sim_packet *packet = weft_sim_queue_take(&berth->queue);
    weft_sim_fabric_send(weft_sim_freight_of(packet), port, 0, network->engine->now);
    if (network->user.room)
        network->user.room(network->user.self, packet->source);
}

/* ---- The network -------------------------------------------------------------------------- */

static void inject(struct weft_sim_network *network, struct weft_sim_packet *packet)
{
    struct weft_sim_fabric *fabric = fabric_of(network);
    weft_sim_freight_load(packet, fabric->config.flit_size);
    weft_sim_queue_append(&fabric->berths[packet->source].queue, packet);
    depart(weft_sim_port_at(fabric, fabric->ports + packet->source));
}

static bool has_room(const struct weft_sim_network *network, uint32_t node)
{
    const struct weft_sim_fabric *fabric = fabric_of(network);
    return fabric->berths[node].queue.count < fabric->config.queue;
}

static void fini(struct weft_sim_network *network)
{
    struct weft_sim_fabric *fabric = fabric_of(network);
    free(fabric->all_ports);
    free(fabric->lines);
    free(fabric->busy);
    free(fabric->berths);
}

static const struct weft_sim_network_ops operations = {
    .has_room = has_room, .inject = inject, .fini = fini};

/* ---- Making one --------------------------------------------------------------------------- */

static bool allocate(struct weft_sim_fabric *fabric)
{
    size_t all = (size_t)fabric->ports + fabric->nodes, channels = fabric->channels;
    size_t accounts = sizeof(struct weft_sim_port) + channels * sizeof(struct weft_sim_account);
    fabric->wanted_at = (accounts + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    fabric->port_size = fabric->wanted_at + channels * fabric->words * sizeof(uint64_t);
    fabric->all_ports = calloc(all, fabric->port_size);
    fabric->lines = calloc(fabric->ports * channels, sizeof *fabric->lines);
    fabric->busy =
        calloc((size_t)fabric->config.topology->routers * fabric->words, sizeof *fabric->busy);
    fabric->berths = calloc(fabric->nodes, sizeof *fabric->berths);
    return fabric->all_ports && fabric->lines && fabric->busy && fabric->berths;
}

static uint32_t far_end(const struct weft_sim_fabric *fabric, uint32_t port)
{
    const struct weft_sim_topology *topology = fabric->config.topology;
    if (port >= fabric->ports) {
        const struct weft_sim_home *home = &topology->homes[port - fabric->ports];
        return home->router * fabric->radix + home->port;
    }
    const struct weft_sim_plug *plug = &topology->plugs[port];
    return plug->reach == WEFT_SIM_NODE ? fabric->ports + plug->peer
                                        : plug->peer * fabric->radix + plug->port;
}

static void plug_in(struct weft_sim_fabric *fabric, uint32_t number)
{
    struct weft_sim_port *port = weft_sim_port_at(fabric, number);
    port->fabric = fabric;
    port->number = number;
    port->router = number / fabric->radix;
    port->far = far_end(fabric, number);
    port->reach = WEFT_SIM_NODE;
    if (number < fabric->ports)
        port->reach = (uint8_t)fabric->config.topology->plugs[number].reach;
    for (uint32_t channel = 0; channel < fabric->channels; channel++)
        port->accounts[channel] =
            (struct weft_sim_account){(uint16_t)fabric->places, (uint16_t)channel};
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
    for (uint32_t port = 0; port < fabric->ports + fabric->nodes; port++)
        plug_in(fabric, port);
    for (uint32_t node = 0; node < fabric->nodes; node++)
        weft_sim_queue_init(&fabric->berths[node].queue);
    return &fabric->network;
}
