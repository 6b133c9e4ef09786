/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world in virtual time: many nodes in one process and one thread, each an ordinary blocking
 * program on a stack of its own, or one that reacts, and its NIC. Time passes only while all of
 * them wait. All that happens follows from the configuration and its seed. Node n has the address
 * nid n + 1, pid 1.
 *
 * Without a switch, every packet flies to its node as soon as it has left the sender's link. With
 * one, it waits in the switch for those before it to the same node; all share the memory of the
 * switch, which loses nothing: while it is full, links wait, each with all that is behind its
 * first packet. With routers, the network is one of fabric.h, whose ticks are nanoseconds.
 */
#ifndef WEFT_WORLD_SIM_SIM_H
#define WEFT_WORLD_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nic/config.h"
#include "nic/world_ops.h"
#include "sim/network.h"
#include "sim/network/fabric.h"

#define WEFT_SIM_PID 1u
#define WEFT_SIM_UID 1u
#define WEFT_SIM_RELAX 100u /* nanoseconds between two polls of a program */

/* Times are in nanoseconds. */
struct weft_sim_config {
    unsigned nodes;
    uint64_t seed;
    uint64_t latency;    /* one way */
    bool loops_back;     /* without a switch: what a node sends to itself comes at once */
    uint32_t paths;      /* between two nodes, of which each packet takes any; 0: one */
    uint64_t path_delay; /* by which each path is longer than the one before */
    uint64_t bandwidth;  /* bytes that a link sends in a microsecond; 0: no end */
    uint64_t buffer;     /* bytes in the switch that all links lead to; 0: there is none */
    const uint64_t
        *sinks; /* bytes that each node takes from it in a microsecond; NULL: as links */
    const struct weft_sim_fabric_config
        *routers; /* between the nodes of its topology, instead of all of the above but the seed:
                     a reliable world, whose packets fit; outlives the simulation. What a node
                     that crashes has under way vanishes. NULL: there are none */
    uint32_t packet_size;       /* payload of a packet */
    uint64_t timeout;           /* until a dead node is noticed */
    bool reliable;              /* no faults, and the world tells of dead nodes, not the NIC */
    uint32_t loss;              /* chances in a million, of each packet: that it never comes, */
    uint32_t duplicate;         /* that it comes twice, */
    uint32_t reorder;           /* that it is late by up to `reorder_delay` */
    uint64_t reorder_delay;     /* not 0 with `reorder` */
    struct weft_nic_config nic; /* of each node, for who opens it */
    size_t stack;               /* of a program; 0: a usual size */
    uint64_t limit;             /* time that a run may take; not 0 */

    /* Code of a node is about to run: make it the current process. */
    void (*enter)(void *context);
    /* Steps the NIC of the node, if it has one by now; says when it wants the next step at the
     * latest: UINT64_MAX if not before something arrives. */
    uint64_t (*step)(void *context);
    /* NULL if nobody wants traces. */
    void (*trace)(void *argument, unsigned node, const struct weft_trace_line *record);
    void *trace_argument;
    /* Besides, the records of all nodes in one ring, for weft_trace_timeline_write; or NULL. */
    struct weft_trace_ring *ring;
};

/* One call of a program that reacts. */
struct weft_sim_turn {
    uint64_t now;
    uint64_t next; /* when it wants to be called at the latest; UINT64_MAX unless it says so */
};

/* Packets: sent + duplicated = delivered + lost + vanished + those in flight. */
struct weft_sim_totals {
    uint64_t sent;
    uint64_t sent_bytes;
    uint64_t delivered;
    uint64_t lost;
    uint64_t duplicated;
    uint64_t reordered;
    uint64_t vanished; /* to or from nodes that are dead or never were */
    uint64_t events;   /* that the loop handled */
    uint64_t resumes;  /* of programs */
};

struct weft_sim;

/* NULL without memory (errno ENOMEM) or if the configuration makes no sense (EINVAL; the log says
 * what). */
struct weft_sim *weft_sim_create(const struct weft_sim_config *config);
void weft_sim_destroy(struct weft_sim *sim);

/* It belongs to the simulation; `close` only makes the node fall silent. */
struct weft_nic_world *weft_sim_world(struct weft_sim *sim, unsigned node);

/* The program runs in weft_sim_run; `context` is what `enter` and `step` get. 0, or -ENOMEM, or
 * -EBUSY if the last program of the node has not ended. */
int weft_sim_start(struct weft_sim *sim, unsigned node, void (*program)(void *), void *argument,
                   void *context);

/* As weft_sim_start, for a program that never waits and so needs no stack: of those there can be
 * hundreds of thousands. It is called at first, whenever somebody wakes its node, and when it
 * wants to be, until it returns true: it has ended. */
int weft_sim_start_reacting(struct weft_sim *sim, unsigned node,
                            bool (*react)(void *, struct weft_sim_turn *turn), void *argument,
                            void *context);

/* At the time `when` (or now if that is past) the node stops for good. What has left its link by
 * then still arrives. The memory that only its program knew is lost. */
int weft_sim_crash(struct weft_sim *sim, unsigned node, uint64_t when);

/* Until every program has ended or crashed, and then until nothing is in flight, but for no longer
 * than the timeout: NICs of programs that have ended still serve the others. 0, or -ETIMEDOUT past
 * the limit, -EDEADLK if programs wait for what can never come, -ENOMEM; the log says who waits.
 */
int weft_sim_run(struct weft_sim *sim);

uint64_t weft_sim_now(const struct weft_sim *sim);
struct weft_sim_totals weft_sim_totals(const struct weft_sim *sim);

#endif
