/* SPDX-License-Identifier: BSD-3-Clause */
/* Between NICs and the network: packets from reserve to commit, and from their arrival through the
 * inbox of a node to its NIC. */
#include <stdlib.h>
#include <string.h>

#include "nic/gate.h"
#include "nic/nic.h"
#include "packet/packet.h"
#include "sim/link.h"
#include "sim/network/fabric.h"
#include "sim/switch.h"
#include "world/sim/sanitize.h"
#include "world/sim/state.h"

#define BATCH 16u

/* ---- Records ------------------------------------------------------------------------------ */

static struct weft_sim_record *record_of(struct weft_sim_packet *packet)
{
    return (struct weft_sim_record *)packet;
}

/* Of a record, only what holds a packet may be touched. */
static void open_to(struct weft_sim *sim, struct weft_sim_record *record, size_t size)
{
    weft_sim_poison(record->bytes, sim->nodes->world.packet_size);
    weft_sim_unpoison(record->bytes, size);
}

static struct weft_sim_record *take(struct weft_sim *sim)
{
    if (sim->free_packets) {
        struct weft_sim_packet *packet = sim->free_packets;
        sim->free_packets = packet->next;
        return record_of(packet);
    }
    struct weft_sim_record *record = malloc(sizeof *record + sim->nodes->world.packet_size);
    if (record) {
        record->all = sim->all_records;
        sim->all_records = record;
    }
    return record;
}

static void give(void *self, struct weft_sim_packet *packet)
{
    struct weft_sim *sim = self;
    open_to(sim, record_of(packet), 0);
    packet->next = sim->free_packets;
    sim->free_packets = packet;
}

static struct weft_sim_packet *copy(void *self, const struct weft_sim_packet *packet)
{
    struct weft_sim *sim = self;
    struct weft_sim_record *record = take(sim);
    if (!record)
        return NULL;
    open_to(sim, record, packet->size);
    record->freight.packet = *packet;
    memcpy(record->bytes, ((const struct weft_sim_record *)packet)->bytes, packet->size);
    return &record->freight.packet;
}

/* ---- Sending ------------------------------------------------------------------------------ */

static uint32_t number_of(const struct weft_sim_node *node)
{
    return (uint32_t)(node - node->sim->nodes);
}

static bool has_room(const struct weft_sim_node *node)
{
    return weft_sim_network_has_room(node->sim->network, number_of(node));
}

uint64_t weft_sim_port_room(struct weft_sim_node *node)
{
    node->refused = node->refused && !has_room(node);
    return node->refused ? weft_sim_network_room_at(node->sim->network, number_of(node))
                         : WEFT_SIM_NEVER;
}

void *weft_sim_reserve(struct weft_nic_route *route, size_t size)
{
    struct weft_sim_node *node = weft_sim_node_of(route->world);
    struct weft_sim *sim = node->sim;
    bool connected = ((struct weft_sim_route *)route)->target || !sim->config.reliable;
    if (route->failed || node->gone || !connected || size > route->world->packet_size)
        return NULL;
    if (!has_room(node)) {
        node->refused = true;
        return NULL;
    }
    if (!node->reserved)
        node->reserved = take(sim);
    if (!node->reserved) {
        sim->engine.starved = true;
        return NULL;
    }
    open_to(sim, node->reserved, size);
    return node->reserved->bytes;
}

void weft_sim_commit(struct weft_nic_route *route, size_t size)
{
    struct weft_sim_node *node = weft_sim_node_of(route->world);
    const struct weft_sim_node *target = ((struct weft_sim_route *)route)->target;
    struct weft_sim *sim = node->sim;
    struct weft_sim_record *record = node->reserved;
    node->reserved = NULL;
    record->freight.packet = (struct weft_sim_packet){
        .size = size,
        .source = number_of(node),
        .target = target ? number_of(target) : WEFT_SIM_NOWHERE,
        .departure = node->world.ready,
    };
    node->world.ready = 0;
    open_to(sim, record, size);
    sim->totals.sent++;
    sim->totals.sent_bytes += size;
    weft_sim_network_inject(sim->network, &record->freight.packet);
}

/* ---- Receiving ---------------------------------------------------------------------------- */

static bool can_arrive(const struct weft_sim *sim, const struct weft_sim_packet *packet)
{
    const struct weft_sim_node *source = &sim->nodes[packet->source];
    bool left = !source->crashed || packet->departure <= source->crash_time;
    return left && packet->target != WEFT_SIM_NOWHERE && !sim->nodes[packet->target].gone;
}

static void arrive(struct weft_sim *sim, struct weft_sim_packet *packet)
{
    if (!can_arrive(sim, packet)) {
        sim->totals.vanished++;
        give(sim, packet);
        return;
    }
    struct weft_sim_node *target = &sim->nodes[packet->target];
    sim->totals.delivered++;
    weft_sim_queue_append(&target->inbox, packet);
    weft_sim_node_step(target);
}

static void pass_gate(void *argument)
{
    struct weft_sim_packet *packet = argument;
    packet->network->under_way--;
    arrive(packet->network->user.self, packet);
}

/* The NIC has all of it, and now it takes the time of its match. */
static void wait_at_gate(struct weft_sim *sim, struct weft_sim_packet *packet)
{
    unsigned kind = record_of(packet)->bytes[offsetof(struct weft_packet_head, kind)];
    uint64_t when = weft_nic_gate_pass(&sim->nodes[packet->target].gate, sim->config.nic.stages,
                                       sim->engine.now, !weft_packet_is_payload(kind));
    packet->network->under_way++;
    weft_sim_engine_post(&sim->engine, when, pass_gate, packet);
}

static void deliver(void *self, struct weft_sim_packet *packet)
{
    struct weft_sim *sim = self;
    if (sim->config.nic.stages && packet->target != WEFT_SIM_NOWHERE)
        wait_at_gate(sim, packet);
    else
        arrive(sim, packet);
}

static void offer_room(void *self, uint32_t number)
{
    struct weft_sim_node *node = &((struct weft_sim *)self)->nodes[number];
    if (node->refused)
        weft_sim_node_step(node);
}

static void clear(struct weft_sim *sim, struct weft_sim_queue *queue)
{
    while (queue->first)
        give(sim, weft_sim_queue_take(queue));
}

void weft_sim_inbox_clear(struct weft_sim_node *node)
{
    clear(node->sim, &node->inbox);
    while (node->backlogs) {
        struct weft_sim_backlog *backlog = node->backlogs;
        node->backlogs = backlog->next;
        clear(node->sim, &backlog->queue);
        free(backlog);
    }
}

static struct weft_sim_backlog *backlog_of(const struct weft_sim_node *node, uint32_t source)
{
    struct weft_sim_backlog *backlog = node->backlogs;
    while (backlog && backlog->source != source)
        backlog = backlog->next;
    return backlog;
}

static struct weft_sim_backlog *new_backlog(struct weft_sim_node *node, uint32_t source)
{
    struct weft_sim_backlog *backlog = malloc(sizeof *backlog);
    if (!backlog)
        return NULL;
    *backlog = (struct weft_sim_backlog){.next = node->backlogs, .source = source};
    weft_sim_queue_init(&backlog->queue);
    node->backlogs = backlog;
    return backlog;
}

bool weft_sim_inbox_has(const struct weft_sim_node *node, const struct weft_sim_node *source)
{
    const struct weft_sim_backlog *backlog = source ? backlog_of(node, number_of(source)) : NULL;
    return node->inbox.first || (backlog && backlog->queue.first);
}

static struct weft_nic_peer *sender_of(struct weft_sim_node *node, struct weft_nic *nic,
                                       uint32_t source)
{
    struct weft_nic_address address = node->sim->nodes[source].world.self;
    struct weft_nic_peer *peer = weft_nic_peer(nic, address);
    /* Who sends to us is watched, too: the rest of its message may never come. */
    bool watched = !node->world.reliable || weft_sim_route(&node->world, address);
    return watched ? peer : NULL;
}

static void hand_over(struct weft_sim *sim, struct weft_nic *nic, struct weft_nic_peer *peer,
                      struct weft_sim_packet *packet)
{
    weft_nic_receive(nic, peer, record_of(packet)->bytes, packet->size);
    give(sim, packet);
}

/* As far as the NIC goes on; a context of its handlers for each is the bound. */
static unsigned poll_backlog(struct weft_sim_node *node, struct weft_nic *nic,
                             struct weft_sim_backlog *backlog)
{
    unsigned count = 0;
    struct weft_nic_peer *peer =
        backlog->queue.first ? sender_of(node, nic, backlog->source) : NULL;
    while (peer && backlog->queue.first && !weft_nic_peer_waits(nic, peer)) {
        hand_over(node->sim, nic, peer, weft_sim_queue_take(&backlog->queue));
        count++;
    }
    return count;
}

static void take_packet(struct weft_sim_node *node, struct weft_nic *nic,
                        struct weft_sim_packet *packet)
{
    struct weft_sim *sim = node->sim;
    struct weft_nic_peer *peer = sender_of(node, nic, packet->source);
    struct weft_sim_backlog *backlog = backlog_of(node, packet->source);
    bool waits = peer && ((backlog && backlog->queue.first) || weft_nic_peer_waits(nic, peer));
    if (waits && !backlog)
        backlog = new_backlog(node, packet->source);
    if (peer && !waits) {
        hand_over(sim, nic, peer, packet);
    } else if (waits && backlog) {
        weft_sim_queue_append(&backlog->queue, packet);
    } else {
        sim->engine.starved = true;
        give(sim, packet);
    }
}

unsigned weft_sim_poll(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_sim_node *node = weft_sim_node_of(world);
    unsigned count = 0;
    for (struct weft_sim_backlog *backlog = node->backlogs; backlog; backlog = backlog->next)
        count += poll_backlog(node, nic, backlog);
    for (unsigned i = 0; i < BATCH && node->inbox.first; i++, count++)
        take_packet(node, nic, weft_sim_queue_take(&node->inbox));
    weft_sim_check(world, nic);
    return count;
}

/* ---- The network -------------------------------------------------------------------------- */

bool weft_sim_ports_init(struct weft_sim *sim)
{
    const struct weft_sim_config *config = &sim->config;
    const struct weft_sim_network_user user = {
        .self = sim, .deliver = deliver, .room = offer_room, .lose = give, .copy = copy};
    const struct weft_sim_switch_config network = {
        .network = {.nodes = config->nodes,
                    .seed = config->seed,
                    .latency = config->latency,
                    .loops_back = config->loops_back,
                    .paths = config->paths,
                    .path_delay = config->path_delay,
                    .bandwidth = config->bandwidth,
                    .loss = config->loss,
                    .duplicate = config->duplicate,
                    .reorder = config->reorder,
                    .reorder_delay = config->reorder_delay},
        .buffer = config->buffer,
        .sinks = config->sinks,
    };
    if (config->routers)
        sim->network = weft_sim_fabric_create(&sim->engine, &user, config->routers);
    else if (config->buffer)
        sim->network = weft_sim_switch_create(&sim->engine, &user, &network);
    else
        sim->network = weft_sim_link_create(&sim->engine, &user, &network.network);
    return sim->network;
}

void weft_sim_ports_fini(struct weft_sim *sim)
{
    weft_sim_network_destroy(sim->network);
    while (sim->all_records) {
        struct weft_sim_record *record = sim->all_records;
        sim->all_records = record->all;
        free(record);
    }
}
