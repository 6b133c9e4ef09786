/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routers flit by flit: the reference for router.c, written to be checked by eye and not to be
 * fast. In every step, each crossbar passes at most one flit from each input and to each output.
 * The head of a packet takes a channel of the output that is free and has room for all of the
 * packet; its other flits follow one by one, and flits of other packets may pass between them.
 * Credits are for flits.
 */
#include <stdlib.h>

#include "base/random.h"
#include "sim/network/fabric.h"

#define BLOCK 1024u /* flits that memory is taken for at once */

struct flit {
    struct flit *next;
    struct weft_sim_freight *freight;
    struct flit_line *line; /* where it is, or goes; NULL: a node */
    bool is_head, is_tail;
};

/* A channel of an input, and the account of the output that leads to it: its room is what the
 * sender knows of. */
struct flit_line {
    struct flit_port *port;
    struct flit *first, **end;
    bool is_routed; /* the packet of the first flit knows where it goes: */
    struct weft_sim_hop hop;
    uint32_t room; /* flits */
};

struct flit_port {
    struct flit_net *net;
    uint32_t number;
    uint32_t reach;
    struct flit_port *far;    /* whose input this output leads to; of nodes, too */
    struct flit_line *lines;  /* of the input */
    uint64_t free;            /* when the link is */
    uint32_t used;            /* room taken behind the output */
    struct flit_line *holder; /* whose packet leaves by the output until its tail has */
    uint32_t turn;            /* which line of the router it asks first */
    uint64_t passed;          /* the last step in which a flit left the input */
};

struct flit_node {
    struct weft_sim_queue queue;
    uint64_t idle;
    bool is_timed;
};

struct flit_net {
    struct weft_sim_network network; /* first */
    struct weft_sim_fabric_config config;
    uint32_t ports; /* of routers; those of nodes are behind them */
    uint64_t random;
    uint64_t step;
    bool is_stepping;
    struct flit_port *all_ports;
    struct flit_line *lines;
    struct flit_node *nodes;
    struct flit *free, *blocks;
};

static uint64_t now_of(const struct flit_net *net)
{
    return net->network.engine->now;
}

static const struct weft_sim_topology *topology_of(const struct flit_net *net)
{
    return net->config.topology;
}

static bool is_node(const struct flit_port *port)
{
    return port->number >= port->net->ports;
}

/* ---- Flits -------------------------------------------------------------------------------- */

static void give(struct flit_net *net, struct flit *flit)
{
    flit->next = net->free;
    net->free = flit;
}

/* The first of a block only links it with the others. */
static void take_block(struct flit_net *net)
{
    struct flit *block = calloc(BLOCK, sizeof *block);
    if (!block)
        return;
    block->next = net->blocks;
    net->blocks = block;
    for (unsigned i = 1; i < BLOCK; i++)
        give(net, &block[i]);
}

static struct flit *take(struct flit_net *net)
{
    if (!net->free)
        take_block(net);
    struct flit *flit = net->free;
    if (flit)
        net->free = flit->next;
    else
        net->network.engine->starved = true;
    return flit;
}

/* ---- Links -------------------------------------------------------------------------------- */

static void arrive(void *argument);
static void depart(struct flit_net *net, uint32_t node);

/* A flit leaves by an output, not before `ready`; there is room for it. */
static void send(struct flit_port *output, struct flit *flit, uint32_t channel, uint64_t ready)
{
    struct flit_net *net = output->net;
    uint64_t begin = output->free > ready ? output->free : ready;
    output->free = begin + net->config.flit_time;
    output->used++;
    flit->line = &output->far->lines[channel];
    flit->line->room--;
    weft_sim_engine_post(net->network.engine, begin + net->config.latency[output->reach], arrive,
                         flit);
}

static void return_credit(void *argument)
{
    struct flit_line *line = argument;
    struct flit_port *sender = line->port->far;
    line->room++;
    sender->used--;
    if (is_node(sender))
        depart(sender->net, sender->number - sender->net->ports);
}

static void leave(struct flit_line *line, uint64_t when)
{
    const struct flit_net *net = line->port->net;
    weft_sim_engine_post(net->network.engine, when + net->config.latency[line->port->reach],
                         return_credit, line);
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static void deliver(void *argument)
{
    weft_sim_network_deliver(argument);
}

static void sink(struct flit *flit)
{
    struct flit_net *net = flit->line->port->net;
    uint32_t number = flit->freight->packet.target;
    struct flit_node *node = &net->nodes[number];
    uint64_t slowness = net->config.sinks ? net->config.sinks[number] : 1;
    node->idle =
        (node->idle > now_of(net) ? node->idle : now_of(net)) + slowness * net->config.flit_time;
    leave(flit->line, node->idle);
    if (flit->is_tail)
        weft_sim_engine_post(net->network.engine, node->idle, deliver, &flit->freight->packet);
    give(net, flit);
}

static void link_is_free(void *argument)
{
    struct flit_port *port = argument;
    uint32_t node = port->number - port->net->ports;
    port->net->nodes[node].is_timed = false;
    depart(port->net, node);
}

static void send_all(struct flit_port *port, struct weft_sim_freight *freight)
{
    for (uint32_t i = 0; i < freight->flits; i++) {
        struct flit *flit = take(port->net);
        if (!flit)
            return;
        *flit = (struct flit){
            .freight = freight, .is_head = i == 0, .is_tail = i + 1u == freight->flits};
        send(port, flit, 0, now_of(port->net));
    }
}

static void depart(struct flit_net *net, uint32_t node)
{
    struct flit_port *port = &net->all_ports[net->ports + node];
    struct weft_sim_queue *queue = &net->nodes[node].queue;
    if (!queue->count || port->far->lines[0].room < weft_sim_freight_of(queue->first)->flits)
        return;
    if (port->free > now_of(net)) {
        if (!net->nodes[node].is_timed)
            weft_sim_engine_post(net->network.engine, port->free, link_is_free, port);
        net->nodes[node].is_timed = true;
        return;
    }
    send_all(port, weft_sim_freight_of(weft_sim_queue_take(queue)));
    if (net->network.user.room)
        net->network.user.room(net->network.user.self, node);
}

/* ---- Crossbars ---------------------------------------------------------------------------- */

static uint32_t router_of(const struct flit_line *line)
{
    return line->port->number / topology_of(line->port->net)->radix;
}

static struct flit_port *output_of(const struct flit_line *line)
{
    const struct flit_net *net = line->port->net;
    return &net->all_ports[router_of(line) * topology_of(net)->radix + line->hop.port];
}

static struct flit_line *goal_of(const struct flit_line *line)
{
    return &output_of(line)->far->lines[line->hop.channel];
}

static uint32_t load(const void *self, uint32_t router, struct weft_sim_hop hop, bool by_channel)
{
    const struct flit_net *net = self;
    const struct flit_port *port = &net->all_ports[router * topology_of(net)->radix + hop.port];
    return by_channel ? net->config.buffer - port->far->lines[hop.channel].room : port->used;
}

static void route(struct flit_line *line)
{
    struct flit_net *net = line->port->net;
    struct weft_sim_freight *freight = line->first->freight;
    line->hop =
        weft_sim_route_next(&net->config.routing, topology_of(net), router_of(line), &freight->way,
                            &(struct weft_sim_loads){net, load}, &net->random);
    line->is_routed = true;
}

static void mark(struct flit_net *net, struct weft_sim_freight *freight,
                 const struct flit_line *goal)
{
    double from = net->config.mark_from;
    double full = 1 - (double)goal->room / net->config.buffer;
    if (full > from && (double)(weft_random_next(&net->random) >> 11) * 0x1p-53 <
                           net->config.mark_rate * (full - from) / (1 - from))
        freight->is_marked = true;
}

static void pass(struct flit_line *line)
{
    struct flit_net *net = line->port->net;
    struct flit_port *output = output_of(line);
    struct flit *flit = line->first;
    if (flit->is_head && net->config.mark_rate > 0)
        mark(net, flit->freight, goal_of(line));
    if (flit->is_head)
        weft_sim_route_pass(&flit->freight->way, output->reach);
    output->holder = flit->is_tail ? NULL : line;
    line->is_routed = !flit->is_tail;
    line->first = flit->next;
    if (!line->first)
        line->end = &line->first;
    line->port->passed = net->step;
    leave(line, now_of(net));
    send(output, flit, line->hop.channel, now_of(net) + net->config.pipeline);
}

/* A head at the beginning of its line: where does it go? */
static void look(struct flit_line *line)
{
    const struct flit_net *net = line->port->net;
    if (!line->first || !line->first->is_head)
        return;
    bool is_open = net->config.routing.is_fickle && line->is_routed &&
                   goal_of(line)->room < line->first->freight->flits &&
                   weft_sim_route_is_open(&net->config.routing, topology_of(net), router_of(line),
                                          &line->first->freight->way);
    if (!line->is_routed || is_open)
        route(line);
}

static bool may_begin(const struct flit_line *line, const struct flit_port *output)
{
    return line->first && line->first->is_head && line->port->passed != line->port->net->step &&
           output_of(line) == output && goal_of(line)->room >= line->first->freight->flits;
}

static void serve(struct flit_port *output, struct flit_line *lines, uint32_t count)
{
    struct flit_line *holder = output->holder;
    if (holder) {
        if (holder->first && holder->port->passed != output->net->step)
            pass(holder);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t which = (output->turn + i) % count;
        if (!may_begin(&lines[which], output))
            continue;
        output->turn = which + 1;
        pass(&lines[which]);
        return;
    }
}

/* Another output of each router begins in each step. */
static void step(void *argument)
{
    struct flit_net *net = argument;
    uint32_t radix = topology_of(net)->radix, count = radix * topology_of(net)->channels;
    net->step++;
    for (uint32_t router = 0; router < topology_of(net)->routers; router++) {
        struct flit_line *lines = &net->lines[(size_t)router * count];
        for (uint32_t i = 0; i < count; i++)
            look(&lines[i]);
        for (uint32_t i = 0; i < radix; i++)
            serve(&net->all_ports[router * radix + (i + net->step) % radix], lines, count);
    }
    net->is_stepping = net->network.under_way > 0;
    if (net->is_stepping)
        weft_sim_engine_post(net->network.engine, now_of(net) + net->config.cross_time, step, net);
}

static void arrive(void *argument)
{
    struct flit *flit = argument;
    struct flit_line *line = flit->line;
    if (is_node(line->port)) {
        sink(flit);
        return;
    }
    flit->next = NULL;
    *line->end = flit;
    line->end = &flit->next;
}

/* ---- The network -------------------------------------------------------------------------- */

static void inject(struct weft_sim_network *network, struct weft_sim_packet *packet)
{
    struct flit_net *net = (struct flit_net *)network;
    weft_sim_freight_load(packet, net->config.flit_size);
    weft_sim_queue_append(&net->nodes[packet->source].queue, packet);
    if (!net->is_stepping)
        weft_sim_engine_post(network->engine, network->engine->now, step, net);
    net->is_stepping = true;
    depart(net, packet->source);
}

static bool has_room(const struct weft_sim_network *network, uint32_t node)
{
    const struct flit_net *net = (const struct flit_net *)network;
    return net->nodes[node].queue.count < net->config.queue;
}

static void fini(struct weft_sim_network *network)
{
    struct flit_net *net = (struct flit_net *)network;
    while (net->blocks) {
        struct flit *block = net->blocks;
        net->blocks = block->next;
        free(block);
    }
    free(net->all_ports);
    free(net->lines);
    free(net->nodes);
}

static const struct weft_sim_network_ops operations = {
    .has_room = has_room, .inject = inject, .fini = fini};

/* ---- Making one --------------------------------------------------------------------------- */

static void plug_in(struct flit_net *net, uint32_t number)
{
    const struct weft_sim_topology *topology = topology_of(net);
    struct flit_port *port = &net->all_ports[number];
    bool is_of_node = number >= net->ports;
    const struct weft_sim_home *home = is_of_node ? &topology->homes[number - net->ports] : NULL;
    const struct weft_sim_plug *plug = is_of_node ? NULL : &topology->plugs[number];
    uint32_t far = is_of_node                     ? home->router * topology->radix + home->port
                   : plug->reach == WEFT_SIM_NODE ? net->ports + plug->peer
                                                  : plug->peer * topology->radix + plug->port;
    *port = (struct flit_port){.net = net,
                               .number = number,
                               .reach = is_of_node ? WEFT_SIM_NODE : plug->reach,
                               .far = &net->all_ports[far],
                               .lines = &net->lines[(size_t)number * topology->channels]};
    for (uint32_t channel = 0; channel < topology->channels; channel++) {
        struct flit_line *line = &port->lines[channel];
        *line = (struct flit_line){.port = port, .end = &line->first, .room = net->config.buffer};
    }
}

static bool allocate(struct flit_net *net)
{
    size_t all = (size_t)net->ports + topology_of(net)->nodes;
    net->all_ports = calloc(all, sizeof *net->all_ports);
    net->lines = calloc(all * topology_of(net)->channels, sizeof *net->lines);
    net->nodes = calloc(topology_of(net)->nodes, sizeof *net->nodes);
    return net->all_ports && net->lines && net->nodes;
}

struct weft_sim_network *weft_sim_flits_create(struct weft_sim_engine *engine,
                                               const struct weft_sim_network_user *user,
                                               const struct weft_sim_fabric_config *config)
{
    struct flit_net *net = malloc(sizeof *net);
    if (!net)
        return NULL;
    *net = (struct flit_net){.network = {.ops = &operations, .engine = engine, .user = *user},
                             .config = *config,
                             .ports = config->topology->routers * config->topology->radix,
                             .random = config->seed};
    if (!allocate(net)) {
        weft_sim_network_destroy(&net->network);
        return NULL;
    }
    for (uint32_t port = 0; port < net->ports + config->topology->nodes; port++)
        plug_in(net, port);
    for (uint32_t node = 0; node < config->topology->nodes; node++)
        weft_sim_queue_init(&net->nodes[node].queue);
    return &net->network;
}
