/* SPDX-License-Identifier: BSD-3-Clause */
/* From commit to arrival: the link of the sender, the faults on the way, the receiver's inbox.
 * What is between link and way if there is a switch: switch.c. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "nic/nic.h"
#include "world/sim/sanitize.h"
#include "world/sim/state.h"

#define BATCH 16u

/* ---- Records ------------------------------------------------------------------------------ */

/* Of a record, only what holds a packet may be touched. */
static void open_to(struct weft_sim *sim, struct weft_sim_packet *packet, size_t size)
{
    weft_sim_poison(packet->bytes, sim->nodes->world.packet_size);
    weft_sim_unpoison(packet->bytes, size);
}

static struct weft_sim_packet *take(struct weft_sim *sim)
{
    struct weft_sim_packet *packet = sim->free_packets;
    if (packet) {
        sim->free_packets = packet->next;
        return packet;
    }
    packet = malloc(sizeof *packet + sim->nodes->world.packet_size);
    if (packet) {
        packet->all = sim->all_packets;
        sim->all_packets = packet;
    }
    return packet;
}

static void give(struct weft_sim *sim, struct weft_sim_packet *packet)
{
    open_to(sim, packet, 0);
    packet->next = sim->free_packets;
    sim->free_packets = packet;
}

void weft_sim_packets_fini(struct weft_sim *sim)
{
    while (sim->all_packets) {
        struct weft_sim_packet *packet = sim->all_packets;
        sim->all_packets = packet->all;
        free(packet);
    }
}

/* ---- Queues and wires --------------------------------------------------------------------- */

void weft_sim_queue_append(struct weft_sim_queue *queue, struct weft_sim_packet *packet)
{
    packet->next = NULL;
    *queue->end = packet;
    queue->end = &packet->next;
    queue->count++;
}

struct weft_sim_packet *weft_sim_queue_take(struct weft_sim_queue *queue)
{
    struct weft_sim_packet *packet = queue->first;
    queue->first = packet->next;
    queue->count--;
    if (!queue->first)
        queue->end = &queue->first;
    return packet;
}

uint64_t weft_sim_wire_pass(struct weft_sim_wire *wire, uint64_t now, uint64_t rate, size_t size)
{
    if (wire->free < now)
        *wire = (struct weft_sim_wire){.free = now};
    if (rate) {
        uint64_t parts = (uint64_t)size * 1000 + wire->carry;
        wire->free += parts / rate;
        wire->carry = parts % rate;
    }
    return wire->free;
}

/* ---- Arriving ------------------------------------------------------------------------------ */

static void arrive(void *argument)
{
    struct weft_sim_packet *packet = argument;
    struct weft_sim_node *source = packet->source;
    struct weft_sim_node *target = packet->target;
    struct weft_sim *sim = source->sim;
    bool left = !source->crashed || packet->departure <= source->crash_time;
    sim->in_flight--;
    if (!target || target->gone || !left) {
        sim->totals.vanished++;
        give(sim, packet);
        return;
    }
    sim->totals.delivered++;
    weft_sim_queue_append(&target->inbox, packet);
    weft_sim_node_step(target);
}

/* ---- Sending ------------------------------------------------------------------------------ */

void weft_sim_link_init(struct weft_sim_link *link, uint64_t seed, unsigned node)
{
    /* Two rounds, as states a constant apart would give one sequence twice. */
    uint64_t state = seed;
    state = weft_random_next(&state) ^ (node + 1);
    link->random = weft_random_next(&state);
    weft_sim_queue_init(&link->queue);
}

static bool has_room(const struct weft_sim_node *node)
{
    const struct weft_sim_link *link = &node->link;
    return weft_sim_has_switch(node->sim)
               ? link->queue.count < WEFT_SIM_QUEUE
               : link->departures[link->oldest] <= node->sim->engine.now;
}

uint64_t weft_sim_link_room(struct weft_sim_node *node)
{
    struct weft_sim_link *link = &node->link;
    link->refused = link->refused && !has_room(node);
    /* With a switch nobody knows when; the packet that makes room will tell. */
    bool is_known = link->refused && !weft_sim_has_switch(node->sim);
    return is_known ? link->departures[link->oldest] : WEFT_SIM_NEVER;
}

void *weft_sim_reserve(struct weft_nic_route *route, size_t size)
{
    struct weft_sim_node *node = weft_sim_node_of(route->world);
    struct weft_sim *sim = node->sim;
    bool connected = ((struct weft_sim_route *)route)->target || !sim->config.reliable;
    if (route->failed || node->gone || !connected || size > route->world->packet_size)
        return NULL;
    if (!has_room(node)) {
        node->link.refused = true;
        return NULL;
    }
    if (!node->link.reserved)
        node->link.reserved = take(sim);
    if (!node->link.reserved) {
        sim->engine.starved = true;
        return NULL;
    }
    open_to(sim, node->link.reserved, size);
    return node->link.reserved->bytes;
}

/* When a packet of `size` bytes that is handed to the link now has left it. */
static uint64_t depart(struct weft_sim_node *node, size_t size)
{
    struct weft_sim_link *link = &node->link;
    const struct weft_sim *sim = node->sim;
    uint64_t departure =
        weft_sim_wire_pass(&link->wire, sim->engine.now, sim->config.bandwidth, size);
    link->departures[link->oldest] = departure;
    link->oldest = (link->oldest + 1) % WEFT_SIM_QUEUE;
    return departure;
}

static bool happens(struct weft_sim_link *link, uint32_t chance)
{
    return (weft_random_next(&link->random) >> 32) * WEFT_SIM_MILLION >> 32 < chance;
}

/* Every copy of a packet is late or not for itself. */
static void fly(struct weft_sim *sim, struct weft_sim_packet *packet)
{
    struct weft_sim_link *link = &packet->source->link;
    /* A link tells beforehand when a packet leaves, a switch when it has. */
    uint64_t begin = packet->departure > sim->engine.now ? packet->departure : sim->engine.now;
    uint64_t arrival = weft_sim_later(begin, sim->config.latency);
    if (sim->config.reorder && happens(link, sim->config.reorder)) {
        uint64_t delay = 1 + weft_random_next(&link->random) % sim->config.reorder_delay;
        arrival = weft_sim_later(arrival, delay);
        sim->totals.reordered++;
    }
    sim->in_flight++;
    weft_sim_engine_post(&sim->engine, arrival, arrive, packet);
}

static void fly_twice(struct weft_sim *sim, struct weft_sim_packet *packet)
{
    struct weft_sim_packet *copy = take(sim);
    if (!copy) {
        sim->engine.starved = true;
        return;
    }
    open_to(sim, copy, packet->size);
    copy->source = packet->source;
    copy->target = packet->target;
    copy->departure = packet->departure;
    copy->size = packet->size;
    memcpy(copy->bytes, packet->bytes, packet->size);
    sim->totals.duplicated++;
    fly(sim, packet);
    fly(sim, copy);
}

void weft_sim_launch(struct weft_sim *sim, struct weft_sim_packet *packet)
{
    struct weft_sim_link *link = &packet->source->link;
    /* Both are drawn for each packet, so that one chance does not shift the other's luck. */
    bool lost = !sim->config.reliable && happens(link, sim->config.loss);
    bool twice = !sim->config.reliable && happens(link, sim->config.duplicate);
    if (lost) {
        sim->totals.lost++;
        give(sim, packet);
    } else if (twice) {
        fly_twice(sim, packet);
    } else {
        fly(sim, packet);
    }
}

void weft_sim_commit(struct weft_nic_route *route, size_t size)
{
    struct weft_sim_node *node = weft_sim_node_of(route->world);
    struct weft_sim *sim = node->sim;
    struct weft_sim_packet *packet = node->link.reserved;
    node->link.reserved = NULL;
    packet->source = node;
    packet->target = ((struct weft_sim_route *)route)->target;
    packet->size = size;
    open_to(sim, packet, size);
    sim->totals.sent++;
    sim->totals.sent_bytes += size;
    if (weft_sim_has_switch(sim)) {
        weft_sim_switch_send(sim, packet);
        return;
    }
    packet->departure = depart(node, size);
    weft_sim_launch(sim, packet);
}

/* ---- Receiving ---------------------------------------------------------------------------- */

void weft_sim_inbox_clear(struct weft_sim_node *node)
{
    while (node->inbox.first)
        give(node->sim, weft_sim_queue_take(&node->inbox));
}

unsigned weft_sim_poll(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_sim_node *node = weft_sim_node_of(world);
    unsigned count = 0;
    while (count < BATCH && node->inbox.first) {
        struct weft_sim_packet *packet = weft_sim_queue_take(&node->inbox);
        struct weft_nic_peer *peer = weft_nic_peer(nic, packet->source->world.self);
        /* Who sends to us is watched, too: the rest of its message may never come. */
        bool watched = !world->reliable || weft_sim_route(world, packet->source->world.self);
        if (peer && watched)
            weft_nic_receive(nic, peer, packet->bytes, packet->size);
        else
            node->sim->engine.starved = true;
        give(node->sim, packet);
        count++;
    }
    weft_sim_check(world, nic);
    return count;
}
