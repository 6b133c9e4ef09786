/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this world share. */
#ifndef WEFT_WORLD_SIM_STATE_H
#define WEFT_WORLD_SIM_STATE_H

#include <stdalign.h>

#include "nic/server.h"
#include "sim/network.h"
#include "sim/network/freight.h"
#include "world/sim/coroutine.h"
#include "world/sim/sim.h"

/* One record for a packet from reserve to the end of weft_nic_receive, then used again. */
struct weft_sim_record {
    struct weft_sim_freight freight; /* first; only routers look behind its packet */
    struct weft_sim_record *all;     /* every one there is */
    alignas(16) unsigned char bytes[];
};

struct weft_sim_route {
    struct weft_nic_route route;  /* first */
    struct weft_sim_node *target; /* NULL: there is no such node */
    struct weft_sim_route *next_to_target;
    struct weft_sim_route *next_failed;
};

/* Packets of one node that have come before the NIC takes them. */
struct weft_sim_backlog {
    struct weft_sim_backlog *next;
    uint32_t source;
    struct weft_sim_queue queue;
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
    bool (*react)(void *, struct weft_sim_turn *turn); /* NULL: `program` has a stack */
    void *argument;
    void *context;
    bool is_started;                      /* some program was */
    bool runs;                            /* the last one has not ended */
    struct weft_sim_coroutine *coroutine; /* of `program`, while it runs */
    struct weft_sim_timer resume;         /* the program */
    struct weft_sim_timer step;           /* the NIC */
    bool asleep;                          /* in `sleep`, and not woken */
    bool woken;   /* while it was not asleep: the next sleep does not wait */
    bool gone;    /* crashed or closed: neither sends nor receives any more */
    bool crashed; /* and does not run any more */
    uint64_t crash_time;
    struct weft_sim_record *reserved;
    bool refused;                /* a reserve, since there was room */
    struct weft_nic_server gate; /* before its NIC, if that has stages */
    struct weft_sim_queue inbox;
    struct weft_sim_backlog *backlogs; /* of those that ever had to wait */
    struct weft_sim_routes routes;
    struct weft_sim_route *routes_here; /* those of all nodes to this one */
    struct weft_sim_route *failed;      /* to be reported to this node's NIC, in order */
    struct weft_sim_route **failed_end;
};

struct weft_sim {
    struct weft_sim_config config;
    struct weft_nic_world_ops ops;
    struct weft_sim_engine engine;
    struct weft_sim_network *network;
    struct weft_sim_node *nodes;
    struct weft_sim_node *running; /* whose program has the processor; NULL: the loop has */
    uint32_t programs;             /* that have not ended */
    struct weft_sim_packet *free_packets;
    struct weft_sim_record *all_records;
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

/* ---- port.c ------------------------------------------------------------------------------- */

bool weft_sim_ports_init(struct weft_sim *sim);
void weft_sim_ports_fini(struct weft_sim *sim);
void weft_sim_inbox_clear(struct weft_sim_node *node);

/* Whether packets of the source may have come that the NIC has not taken; NULL: of nobody. */
bool weft_sim_inbox_has(const struct weft_sim_node *node, const struct weft_sim_node *source);

/* When the network takes a packet again after it refused one; never if it did not refuse any, or
 * will say so itself. */
uint64_t weft_sim_port_room(struct weft_sim_node *node);

void *weft_sim_reserve(struct weft_nic_route *route, size_t size);
void weft_sim_commit(struct weft_nic_route *route, size_t size);
unsigned weft_sim_poll(struct weft_nic_world *world, struct weft_nic *nic);

/* ---- route.c ------------------------------------------------------------------------------ */

void weft_sim_routes_fini(struct weft_sim_routes *routes);
struct weft_nic_route *weft_sim_route(struct weft_nic_world *world,
                                      struct weft_nic_address address);

/* The node is gone: in a reliable world, all that have a route to it will be told. */
void weft_sim_route_lose(struct weft_sim_node *target);

/* Tells the NIC of what has failed. */
void weft_sim_check(struct weft_nic_world *world, struct weft_nic *nic);

#endif
