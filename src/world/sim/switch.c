/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One switch between all links. A packet begins to leave its link when the switch has room for it;
 * links that wait get room in the order in which they came. In the switch, packets to one node
 * wait for each other, at the rate at which the node takes them. So a node that takes little fills
 * the switch with its packets, if its senders let it, and then all links wait for that node.
 */
#include "world/sim/state.h"

void weft_sim_switch_init(struct weft_sim_switch *hub)
{
    *hub = (struct weft_sim_switch){.end = &hub->first_waiting};
}

static void enter(void *argument);

/* False if there is no room. */
static bool begin(struct weft_sim *sim, struct weft_sim_node *node)
{
    struct weft_sim_packet *packet = node->link.queue.first;
    if (packet->size > sim->config.buffer - sim->hub.held)
        return false;
    sim->hub.held += packet->size;
    packet->departure =
        weft_sim_wire_pass(&node->link.wire, sim->engine.now, sim->config.bandwidth, packet->size);
    weft_sim_engine_post(&sim->engine, packet->departure, enter, packet);
    return true;
}

static void admit(struct weft_sim *sim)
{
    struct weft_sim_switch *hub = &sim->hub;
    while (hub->first_waiting && begin(sim, hub->first_waiting)) {
        hub->first_waiting = hub->first_waiting->next_waiting;
        if (!hub->first_waiting)
            hub->end = &hub->first_waiting;
    }
}

static void line_up(struct weft_sim *sim, struct weft_sim_node *node)
{
    node->next_waiting = NULL;
    *sim->hub.end = node;
    sim->hub.end = &node->next_waiting;
    admit(sim);
}

void weft_sim_switch_send(struct weft_sim *sim, struct weft_sim_packet *packet)
{
    struct weft_sim_node *node = packet->source;
    weft_sim_queue_append(&node->link.queue, packet);
    sim->in_flight++;
    if (node->link.queue.count == 1)
        line_up(sim, node);
}

static void sink(void *argument)
{
    struct weft_sim_packet *packet = argument;
    struct weft_sim *sim = packet->source->sim;
    sim->hub.held -= packet->size;
    sim->in_flight--;
    weft_sim_launch(sim, packet);
    admit(sim);
}

static void enter(void *argument)
{
    struct weft_sim_packet *packet = argument;
    struct weft_sim_node *node = packet->source, *target = packet->target;
    struct weft_sim *sim = node->sim;
    uint64_t out = sim->engine.now;
    weft_sim_queue_take(&node->link.queue);
    if (target) {
        uint64_t rate =
            sim->config.sinks ? sim->config.sinks[target - sim->nodes] : sim->config.bandwidth;
        out = weft_sim_wire_pass(&target->port, out, rate, packet->size);
    }
    weft_sim_engine_post(&sim->engine, out, sink, packet);
    if (node->link.queue.count)
        line_up(sim, node);
    if (node->link.refused)
        weft_sim_node_step(node);
}
