/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way a packet takes: the direct one, or a detour through a random place of the topology.
 * [Sch17], section 4.1, has progressive adaptive routing with a bias of 2 and a threshold of 30
 * flits.
 */
#ifndef WEFT_SIM_NETWORK_ROUTE_H
#define WEFT_SIM_NETWORK_ROUTE_H

#include "sim/network/topology.h"

enum weft_sim_routing_kind {
    WEFT_SIM_MINIMAL,
    WEFT_SIM_VALIANT,     /* always a detour */
    WEFT_SIM_UGAL,        /* decided by the first router */
    WEFT_SIM_PROGRESSIVE, /* and again by the next ones, as long as the topology allows it */
};

struct weft_sim_routing {
    enum weft_sim_routing_kind kind;
    /* A packet begins a detour if more flits wait on the direct way than `bias` times those on the
     * detour, and `threshold`. */
    double bias;
    double threshold;
    /* The first packet of a line decides again whenever something happens at the port that has no
     * room for it, not only once at each router. */
    bool is_fickle;
    bool by_channel; /* flits are counted for the channel, not for all of the port */
};

/* Flits that wait behind a port of a router. */
struct weft_sim_loads {
    const void *self;
    uint32_t (*load)(const void *self, uint32_t router, struct weft_sim_hop hop, bool by_channel);
};

/* Where a packet at a router goes next. `way` is what it has become by the decision. */
struct weft_sim_hop weft_sim_route_next(const struct weft_sim_routing *routing,
                                        const struct weft_sim_topology *topology, uint32_t router,
                                        struct weft_sim_way *way,
                                        const struct weft_sim_loads *loads, uint64_t *random);

/* Could the decision be another one if it were taken again here? */
bool weft_sim_route_is_open(const struct weft_sim_routing *routing,
                            const struct weft_sim_topology *topology, uint32_t router,
                            const struct weft_sim_way *way);

/* The packet has left by a link. */
static inline void weft_sim_route_pass(struct weft_sim_way *way, unsigned reach)
{
    if (reach == WEFT_SIM_NODE)
        return;
    way->hops++;
    way->locals = reach == WEFT_SIM_LOCAL ? (uint8_t)(way->locals + 1) : 0;
    way->globals = (uint8_t)(way->globals + (reach == WEFT_SIM_GLOBAL));
}

#endif
