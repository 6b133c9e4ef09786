/* SPDX-License-Identifier: BSD-3-Clause */
/* What travels through a network, and lines of packets. */
#ifndef WEFT_SIM_PACKET_H
#define WEFT_SIM_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_SIM_NOWHERE UINT32_MAX

struct weft_sim_network;

/* A part of a record of whoever sends it, who alone knows what it carries. A network has it from
 * the time it is injected until it is delivered or lost. */
struct weft_sim_packet {
    struct weft_sim_packet *next; /* for who has it */
    struct weft_sim_network *network;
    uint64_t departure; /* when it has left the link of its source; until it is injected, when it
                           may at the earliest, which only a network of links keeps to */
    uint64_t size;      /* bytes that take time on a wire */
    uint32_t source;
    uint32_t target; /* or WEFT_SIM_NOWHERE: it is delivered, too, but passes no wire to a node */
};

struct weft_sim_queue {
    struct weft_sim_packet *first;
    struct weft_sim_packet **end;
    uint32_t count;
};

static inline void weft_sim_queue_init(struct weft_sim_queue *queue)
{
    *queue = (struct weft_sim_queue){.end = &queue->first};
}

static inline void weft_sim_queue_append(struct weft_sim_queue *queue,
                                         struct weft_sim_packet *packet)
{
    packet->next = NULL;
    *queue->end = packet;
    queue->end = &packet->next;
    queue->count++;
}

/* The first of a queue that is not empty. */
static inline struct weft_sim_packet *weft_sim_queue_take(struct weft_sim_queue *queue)
{
    struct weft_sim_packet *packet = queue->first;
    queue->first = packet->next;
    queue->count--;
    if (!queue->first)
        queue->end = &queue->first;
    return packet;
}

#endif
