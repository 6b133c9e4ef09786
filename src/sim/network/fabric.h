/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network of routers (network.h), in one of two ways that agree: packet by packet, which is
 * fast, or flit by flit, which is the reference for it.
 *
 * Routers queue packets at their inputs, one line for each virtual channel. The first packet of a
 * line asks for the output and the channel of its next hop. A crossbar takes one packet at a time
 * from each input and to each output, faster than links by its speed-up, as soon as there is room
 * for all of it at the other end of the link (virtual cut-through): a packet may leave before it
 * has arrived. Outputs send packets one after the other. Room is accounted for by credits that
 * travel back over the link.
 *
 * Buffers are divided into places for a longest packet; a shorter one takes a place, too.
 *
 * Packets must be the first member of a weft_sim_freight. Time is in ticks of any length.
 */
#ifndef WEFT_SIM_NETWORK_FABRIC_H
#define WEFT_SIM_NETWORK_FABRIC_H

#include "sim/network.h"
#include "sim/network/freight.h"
#include "sim/network/route.h"

struct weft_sim_fabric_config {
    const struct weft_sim_topology *topology; /* outlives the network */
    struct weft_sim_routing routing;
    uint64_t seed;
    uint32_t flit_size;                 /* of packets, whose size is in the same unit */
    uint32_t packet;                    /* flits of the longest one */
    uint32_t buffer;                    /* flits of each channel of each input; nodes have one */
    uint32_t queue;                     /* packets that may wait at a node for its link */
    uint32_t flit_time;                 /* ticks of a flit on a link, */
    uint32_t cross_time;                /* and in a crossbar */
    uint32_t pipeline;                  /* ticks of a head from the line to the link */
    uint32_t latency[WEFT_SIM_REACHES]; /* ticks of links */
    const uint32_t *sinks; /* how many times as long each node takes for a flit; NULL: once */
    double mark_from; /* part of the buffer behind an output that may be full without marks, */
    double mark_rate; /* and how fast the chance of a mark rises to 1 when it is full; 0: none */
};

/* NULL without memory. */
struct weft_sim_network *weft_sim_fabric_create(struct weft_sim_engine *engine,
                                                const struct weft_sim_network_user *user,
                                                const struct weft_sim_fabric_config *config);
struct weft_sim_network *weft_sim_flits_create(struct weft_sim_engine *engine,
                                               const struct weft_sim_network_user *user,
                                               const struct weft_sim_fabric_config *config);

/* What is wrong with a network of weft_sim_fabric_create: packets or credits that are not
 * accounted for. NULL if all is well. */
const char *weft_sim_fabric_audit(const struct weft_sim_network *network);

/* Ticks of a packet of so many flits between two nodes if nobody is in its way. */
uint64_t weft_sim_fabric_alone(const struct weft_sim_fabric_config *config, uint32_t source,
                               uint32_t target, uint32_t flits);

#endif
