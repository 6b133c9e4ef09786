/* SPDX-License-Identifier: BSD-3-Clause */
/* From commit to arrival: the link of the sender, the faults on the way, the receiver's inbox. */
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
    weft_poison(packet->bytes, sim->nodes->world.packet_size);
    weft_unpoison(packet->bytes, size);
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

/* ---- Sending ------------------------------------------------------------------------------ */

void weft_sim_link_init(struct weft_sim_link *link, uint64_t seed, unsigned node)
{
    /* Two rounds, as states a constant apart would give one sequence twice. */
    uint64_t state = seed;
    state = weft_random_next(&state) ^ (node + 1);
    link->random = weft_random_next(&state);
}

static bool has_room(const struct weft_sim_node *node)
{
    return node->link.departures[node->link.oldest] <= node->sim->now;
}

uint64_t weft_sim_link_room(struct weft_sim_node *node)
{
    struct weft_sim_link *link = &node->link;
    link->refused = link->refused && !has_room(node);
    return link->refused ? link->departures[link->oldest] : WEFT_SIM_NEVER;
}

void *weft_sim_reserve(struct weft_route *route, size_t size)
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
        weft_sim_out_of_memory(sim);
        return NULL;
    }
    open_to(sim, node->link.reserved, size);
    return node->link.reserved->bytes;
}

/* When a packet of `size` bytes that is handed to the link now has left it. */
static uint64_t depart(struct weft_sim_node *node, size_t size)
{
    struct weft_sim_link *link = &node->link;
    uint64_t bandwidth = node->sim->config.bandwidth;
    if (link->free < node->sim->now) {
        link->free = node->sim->now;
        link->carry = 0;
    }
    if (bandwidth) {
        uint64_t parts = (uint64_t)size * 1000 + link->carry;
        link->free += parts / bandwidth;
        link->carry = parts % bandwidth;
    }
    link->departures[link->oldest] = link->free;
    link->oldest = (link->oldest + 1) % WEFT_SIM_QUEUE;
    return link->free;
}

static bool happens(struct weft_sim_link *link, uint32_t chance)
{
    return (weft_random_next(&link->random) >> 32) * WEFT_SIM_MILLION >> 32 < chance;
}

/* Every copy of a packet is late or not for itself. */
static void fly(struct weft_sim *sim, struct weft_sim_packet *packet)
{
    struct weft_sim_link *link = &packet->source->link;
    uint64_t arrival = weft_sim_later(packet->departure, sim->config.latency);
    if (sim->config.reorder && happens(link, sim->config.reorder)) {
        uint64_t delay = 1 + weft_random_next(&link->random) % sim->config.reorder_delay;
        arrival = weft_sim_later(arrival, delay);
        sim->totals.reordered++;
    }
    sim->in_flight++;
    weft_sim_post(sim, arrival, WEFT_SIM_ARRIVE, packet);
}

static void fly_twice(struct weft_sim *sim, struct weft_sim_packet *packet)
{
    struct weft_sim_packet *copy = take(sim);
    if (!copy) {
        weft_sim_out_of_memory(sim);
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

void weft_sim_commit(struct weft_route *route, size_t size)
{
    struct weft_sim_node *node = weft_sim_node_of(route->world);
    struct weft_sim *sim = node->sim;
    struct weft_sim_packet *packet = node->link.reserved;
    node->link.reserved = NULL;
    packet->source = node;
    packet->target = ((struct weft_sim_route *)route)->target;
    packet->size = size;
    packet->departure = depart(node, size);
    open_to(sim, packet, size);
    sim->totals.sent++;
    sim->totals.sent_bytes += size;
    /* Both are drawn for each packet, so that one chance does not shift the other's luck. */
    bool lost = !sim->config.reliable && happens(&node->link, sim->config.loss);
    bool twice = !sim->config.reliable && happens(&node->link, sim->config.duplicate);
    if (lost) {
        sim->totals.lost++;
        give(sim, packet);
    } else if (twice) {
        fly_twice(sim, packet);
    } else {
        fly(sim, packet);
    }
}

/* ---- Receiving ---------------------------------------------------------------------------- */

static struct weft_sim_packet *take_first(struct weft_sim_inbox *inbox)
{
    struct weft_sim_packet *packet = inbox->first;
    inbox->first = packet->next;
    inbox->count--;
    if (!inbox->first)
        inbox->end = &inbox->first;
    return packet;
}

void weft_sim_inbox_clear(struct weft_sim_node *node)
{
    while (node->inbox.first)
        give(node->sim, take_first(&node->inbox));
}

void weft_sim_arrive(struct weft_sim *sim, struct weft_sim_packet *packet)
{
    struct weft_sim_node *source = packet->source;
    struct weft_sim_node *target = packet->target;
    bool left = !source->crashed || packet->departure <= source->crash_time;
    sim->in_flight--;
    if (!target || target->gone || !left) {
        sim->totals.vanished++;
        give(sim, packet);
        return;
    }
    sim->totals.delivered++;
    packet->next = NULL;
    *target->inbox.end = packet;
    target->inbox.end = &packet->next;
    target->inbox.count++;
    weft_sim_node_step(target);
}

unsigned weft_sim_poll(struct weft_world *world, struct weft_nic *nic)
{
    struct weft_sim_node *node = weft_sim_node_of(world);
    unsigned count = 0;
    while (count < BATCH && node->inbox.first) {
        struct weft_sim_packet *packet = take_first(&node->inbox);
        struct weft_peer *peer = weft_nic_peer(nic, packet->source->world.self);
        /* Who sends to us is watched, too: the rest of its message may never come. */
        bool watched = !world->reliable || weft_sim_route(world, packet->source->world.self);
        if (peer && watched)
            weft_nic_receive(nic, peer, packet->bytes, packet->size);
        else
            weft_sim_out_of_memory(node->sim);
        give(node->sim, packet);
        count++;
    }
    weft_sim_check(world, nic);
    return count;
}
