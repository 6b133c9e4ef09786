/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this world share. */
#ifndef WEFT_WORLD_SIM_STATE_H
#define WEFT_WORLD_SIM_STATE_H

#include <stdalign.h>

#include "sim/engine.h"
#include "world/sim/coroutine.h"
#include "world/sim/sim.h"

/* One record for a packet from reserve to the end of weft_nic_receive, then used again. */
struct weft_sim_packet {
    struct weft_sim_packet *next; /* free, or in an inbox or before a link */
    struct weft_sim_packet *all;  /* every one there is */
    struct weft_sim_node *source;
    struct weft_sim_node *target;
    uint64_t departure;
    size_t size;
    alignas(16) unsigned char bytes[];
};

/* Packets pass one after the other. */
struct weft_sim_wire {
    uint64_t free;  /* when the last one has passed */
    uint64_t carry; /* part of a nanosecond, in 1/rate of it */
};

struct weft_sim_queue {
    struct weft_sim_packet *first;
    struct weft_sim_packet **end;
    uint32_t count;
};

/* The way out of a node. */
struct weft_sim_link {
    struct weft_sim_packet *reserved;
    struct weft_sim_wire wire;
    uint64_t departures[WEFT_SIM_QUEUE]; /* of the last ones, a ring */
    uint32_t oldest;                     /* index in it */
    struct weft_sim_queue queue;         /* with a switch: those that have not left */
    bool refused;                        /* a reserve, since there was room */
    uint64_t random;                     /* for its faults */
};

struct weft_sim_switch {
    uint64_t held;                       /* bytes that are in it, or on a link to it */
    struct weft_sim_node *first_waiting; /* whose link has a packet that does not begin to leave */
    struct weft_sim_node **end;
};

struct weft_sim_route {
    struct weft_nic_route route;  /* first */
    struct weft_sim_node *target; /* NULL: there is no such node */
    struct weft_sim_route *next_to_target;
    struct weft_sim_route *next_failed;
};

/* All routes of a node, by address: open addressing, at most half full. */
struct weft_sim_routes {
    struct weft_sim_route **slots;
    uint32_t room; /* a power of two */
    uint32_t count;
};

struct weft_sim_node {
    struct weft_nic_world world; /* first */
    struct weft_sim *sim;
    void (*program)(void *);
    void *argument;
    void *context;
    struct weft_sim_coroutine *coroutine; /* NULL: no program was started, or the last one has ended */
    struct weft_sim_timer resume;     /* the program */
    struct weft_sim_timer step;       /* the NIC */
    bool asleep;                      /* in `sleep`, and not woken */
    bool woken;                       /* while it was not asleep: the next sleep does not wait */
    bool gone;                        /* crashed or closed: neither sends nor receives any more */
    bool crashed;                     /* and does not run any more */
    uint64_t crash_time;
    struct weft_sim_link link;
    struct weft_sim_wire port;          /* from the switch to the node */
    struct weft_sim_node *next_waiting; /* for the switch */
    struct weft_sim_queue inbox;
    struct weft_sim_routes routes;
    struct weft_sim_route *routes_here; /* those of all nodes to this one */
    struct weft_sim_route *failed;      /* to be reported to this node's NIC, in order */
    struct weft_sim_route **failed_end;
};

struct weft_sim {
    struct weft_sim_config config;
    struct weft_nic_world_ops ops;
    struct weft_sim_engine engine;
    struct weft_sim_switch hub;
    struct weft_sim_node *nodes;
    struct weft_sim_node *running; /* whose program has the processor; NULL: the loop has */
    uint32_t programs;             /* that have not ended */
    uint64_t in_flight;
    struct weft_sim_packet *free_packets;
    struct weft_sim_packet *all_packets;
    struct weft_sim_totals totals;
};

static inline struct weft_sim_node *weft_sim_node_of(struct weft_nic_world *world)
{
    return (struct weft_sim_node *)world;
}

/* ---- node.c ------------------------------------------------------------------------------- */

void weft_sim_node_init(struct weft_sim_node *node, struct weft_sim *sim, unsigned number);
void weft_sim_node_fini(struct weft_sim_node *node);
void weft_sim_node_step(struct weft_sim_node *node);

void weft_sim_sleep(struct weft_nic_world *world, uint64_t until);
void weft_sim_wake(struct weft_nic_world *world);
void weft_sim_relax(struct weft_nic_world *world);
void weft_sim_close(struct weft_nic_world *world);

/* ---- link.c ------------------------------------------------------------------------------- */

static inline void weft_sim_queue_init(struct weft_sim_queue *queue)
{
    *queue = (struct weft_sim_queue){.end = &queue->first};
}

void weft_sim_queue_append(struct weft_sim_queue *queue, struct weft_sim_packet *packet);
struct weft_sim_packet *weft_sim_queue_take(struct weft_sim_queue *queue);

/* When `size` bytes that come to the wire now have passed it; a rate of 0 has no end. */
uint64_t weft_sim_wire_pass(struct weft_sim_wire *wire, uint64_t now, uint64_t rate, size_t size);

void weft_sim_link_init(struct weft_sim_link *link, uint64_t seed, unsigned node);
/* To its node, or to one of the faults on the way. */
void weft_sim_launch(struct weft_sim *sim, struct weft_sim_packet *packet);
void weft_sim_packets_fini(struct weft_sim *sim);
void weft_sim_inbox_clear(struct weft_sim_node *node);

/* When a link that refused a packet takes one again; never if it did not refuse any. */
uint64_t weft_sim_link_room(struct weft_sim_node *node);

void *weft_sim_reserve(struct weft_nic_route *route, size_t size);
void weft_sim_commit(struct weft_nic_route *route, size_t size);
unsigned weft_sim_poll(struct weft_nic_world *world, struct weft_nic *nic);

/* ---- switch.c ----------------------------------------------------------------------------- */

static inline bool weft_sim_has_switch(const struct weft_sim *sim)
{
    return sim->config.buffer != 0;
}

void weft_sim_switch_init(struct weft_sim_switch *hub);
void weft_sim_switch_send(struct weft_sim *sim, struct weft_sim_packet *packet);

/* ---- route.c ------------------------------------------------------------------------------ */

void weft_sim_routes_fini(struct weft_sim_routes *routes);
struct weft_nic_route *weft_sim_route(struct weft_nic_world *world,
                                      struct weft_nic_address address);

/* The node is gone: in a reliable world, all that have a route to it will be told. */
void weft_sim_route_lose(struct weft_sim_node *target);

/* Tells the NIC of what has failed. */
void weft_sim_check(struct weft_nic_world *world, struct weft_nic *nic);

#endif
