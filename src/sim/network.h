/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network in virtual time: packets are injected at one node and delivered at another, later.
 * What is between is the business of each kind of network (link.h, switch.h), and what packets
 * carry is the business of its user.
 *
 * Every node has one way in with room for some packets. Who found it full either knows when there
 * is room again, or is told.
 */
#ifndef WEFT_SIM_NETWORK_H
#define WEFT_SIM_NETWORK_H

#include <stdlib.h>

#include "sim/engine.h"
#include "sim/packet.h"

#define WEFT_SIM_QUEUE 64u       /* packets that may wait for the link of a node */
#define WEFT_SIM_MILLION 1000000 /* a fault that is certain */

/* What the networks here have in common. Times are in nanoseconds. */
struct weft_sim_network_config {
    uint32_t nodes;
    uint64_t seed;          /* of faults and paths */
    uint64_t latency;       /* behind all wires */
    bool loops_back;        /* what a node sends to itself comes at once, on no wire */
    uint32_t paths;         /* behind them, of which each packet takes any; 0: one */
    uint64_t path_delay;    /* by which each path is longer than the one before */
    uint64_t bandwidth;     /* bytes that a link sends in a microsecond; 0: no end */
    uint32_t loss;          /* chances in a million, of each packet: that it never comes, */
    uint32_t duplicate;     /* that it comes twice, */
    uint32_t reorder;       /* that it is late by up to `reorder_delay` */
    uint64_t reorder_delay; /* not 0 with `reorder` */
};

/* Who uses a network; `self` is what its functions get. */
struct weft_sim_network_user {
    void *self;
    /* The packet is at its target, and its user's again. */
    void (*deliver)(void *self, struct weft_sim_packet *packet);
    /* The node has room again. NULL if nobody waits for it. */
    void (*room)(void *self, uint32_t node);

    /* These two only if there are faults. It will never come, and is its user's again. */
    void (*lose)(void *self, struct weft_sim_packet *packet);
    /* Another one with the same contents; NULL without memory. */
    struct weft_sim_packet *(*copy)(void *self, const struct weft_sim_packet *packet);
};

struct weft_sim_network_ops {
    bool (*has_room)(const struct weft_sim_network *network, uint32_t node);
    /* When a node that has no room has some. NULL if that is never known: `room` will tell. */
    uint64_t (*room_at)(const struct weft_sim_network *network, uint32_t node);
    void (*inject)(struct weft_sim_network *network, struct weft_sim_packet *packet);
    /* Frees what is not in the block of the network itself. NULL if there is nothing. */
    void (*fini)(struct weft_sim_network *network);
};

/* The first member of each kind of network, which is the beginning of a block of memory. */
struct weft_sim_network {
    const struct weft_sim_network_ops *ops;
    struct weft_sim_engine *engine;
    struct weft_sim_network_user user;
    uint64_t under_way; /* packets that it has */
    uint64_t lost;
    uint64_t duplicated;
    uint64_t reordered;
};

/* ---- For its user ------------------------------------------------------------------------- */

static inline bool weft_sim_network_has_room(const struct weft_sim_network *network, uint32_t node)
{
    return network->ops->has_room(network, node);
}

static inline uint64_t weft_sim_network_room_at(const struct weft_sim_network *network,
                                                uint32_t node)
{
    return network->ops->room_at ? network->ops->room_at(network, node) : WEFT_SIM_NEVER;
}

/* Only where there is room. Source, target and size of the packet are filled in. */
static inline void weft_sim_network_inject(struct weft_sim_network *network,
                                           struct weft_sim_packet *packet)
{
    packet->network = network;
    network->under_way++;
    network->ops->inject(network, packet);
}

/* Packets that it still has are forgotten; their users have their memory. */
static inline void weft_sim_network_destroy(struct weft_sim_network *network)
{
    if (network && network->ops->fini)
        network->ops->fini(network);
    free(network);
}

/* ---- For a kind of network ---------------------------------------------------------------- */

static inline void weft_sim_network_deliver(struct weft_sim_packet *packet)
{
    struct weft_sim_network *network = packet->network;
    network->under_way--;
    network->user.deliver(network->user.self, packet);
}

#endif
