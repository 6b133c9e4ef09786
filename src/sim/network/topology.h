/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which routers there are, how their ports are connected, and where a packet goes next. A topology
 * knows nothing of time, queues or traffic: routers ask it for the next hop of a packet, routing
 * (route.h) for a detour.
 *
 * A kind of topology is a function that makes one and plugs in all links, and its operations.
 */
#ifndef WEFT_SIM_NETWORK_TOPOLOGY_H
#define WEFT_SIM_NETWORK_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_SIM_NO_PLACE UINT32_MAX

/* What a link is plugged into, which decides how long it is. */
enum weft_sim_reach {
    WEFT_SIM_UNPLUGGED,
    WEFT_SIM_NODE,   /* from a router to a node */
    WEFT_SIM_LOCAL,  /* to a router nearby */
    WEFT_SIM_GLOBAL, /* to one far away */
    WEFT_SIM_REACHES,
};

/* The other end of a port of a router. */
struct weft_sim_plug {
    uint32_t peer; /* a router, or a node */
    uint16_t port; /* of the router */
    uint16_t reach;
};

/* Where a node is plugged in. */
struct weft_sim_home {
    uint32_t router;
    uint16_t port;
};

/* Which part of its way a packet is on. */
enum weft_sim_leg {
    WEFT_SIM_DIRECT, /* to its target by a shortest way */
    WEFT_SIM_AWAY,   /* to the place of its detour */
    WEFT_SIM_BACK,   /* from there to its target */
};

/* The way of a packet, as far as it has come. */
struct weft_sim_way {
    uint32_t target; /* node */
    uint32_t via;    /* a place, of which only the topology knows what it is */
    uint8_t leg;
    uint8_t hops;    /* links between routers that it has passed, */
    uint8_t locals;  /* local ones since the last global one, */
    uint8_t globals; /* and global ones */
};

struct weft_sim_hop {
    uint16_t port;
    uint16_t channel; /* virtual channel on the link behind it */
};

struct weft_sim_topology;

struct weft_sim_topology_ops {
    /* From a router that is not the target's: towards `via` on the leg away, else to the target.
     * Channels must be such that packets cannot wait for each other in a circle. */
    struct weft_sim_hop (*hop)(const struct weft_sim_topology *topology, uint32_t router,
                               const struct weft_sim_way *way);
    /* The place of a detour, drawn at random; WEFT_SIM_NO_PLACE where none makes sense. */
    uint32_t (*detour)(const struct weft_sim_topology *topology, uint32_t router,
                       const struct weft_sim_way *way, uint64_t *random);
    /* Is the router at the place of the detour? */
    bool (*is_there)(const struct weft_sim_topology *topology, uint32_t router, uint32_t place);
    /* May a packet on its direct way still begin a detour here, behind its first router? */
    bool (*may_turn)(const struct weft_sim_topology *topology, uint32_t router,
                     const struct weft_sim_way *way);
};

struct weft_sim_topology {
    const struct weft_sim_topology_ops *ops;
    uint32_t nodes;
    uint32_t routers;
    uint32_t radix;              /* ports of a router */
    uint32_t channels;           /* virtual channels of a link */
    uint32_t shape[4];           /* what its kind needs to know */
    struct weft_sim_plug *plugs; /* of port p of router r at r * radix + p */
    struct weft_sim_home *homes; /* of each node */
};

/* ---- For its user ------------------------------------------------------------------------- */

/* Groups of `routers` that are all connected, each with `nodes` nodes and `globals` links to other
 * groups; as many groups as reach each other directly. All not 0, at most 65535 ports. These and
 * the following are NULL without memory, or if the numbers make no sense. */
struct weft_sim_topology *weft_sim_dragonfly_create(uint32_t nodes, uint32_t routers,
                                                    uint32_t globals);

/* A tree of switches with as many links up as down, `arity` each, and `levels` of switches:
 * arity^levels nodes. */
struct weft_sim_topology *weft_sim_fat_tree_create(uint32_t arity, uint32_t levels);

/* A grid that is closed in each direction. For two dimensions, z is 1. */
struct weft_sim_topology *weft_sim_torus_create(uint32_t x, uint32_t y, uint32_t z,
                                                uint32_t nodes);

/* One switch for all nodes. */
struct weft_sim_topology *weft_sim_star_create(uint32_t nodes);

void weft_sim_topology_destroy(struct weft_sim_topology *topology);

/* ---- For a kind of topology --------------------------------------------------------------- */

/* Nothing is plugged in yet. NULL without memory. */
struct weft_sim_topology *weft_sim_topology_create(const struct weft_sim_topology *like);

void weft_sim_topology_plug_node(struct weft_sim_topology *topology, uint32_t node,
                                 uint32_t router, uint32_t port);

/* One direction: what leaves `router` by `port` comes in at `port` of `peer`. */
void weft_sim_topology_plug(struct weft_sim_topology *topology, uint32_t router, uint32_t port,
                            uint32_t peer, uint32_t peer_port, enum weft_sim_reach reach);

uint32_t weft_sim_topology_draw(uint64_t *random, uint32_t below);

#endif
