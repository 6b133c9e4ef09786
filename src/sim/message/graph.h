/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks of a job do: messages and computations that wait for each other, as in the GOAL
 * language of LogGOPSim. A graph is built once and may be run many times (run.h).
 */
#ifndef WEFT_SIM_MESSAGE_GRAPH_H
#define WEFT_SIM_MESSAGE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_SIM_ANY UINT32_MAX  /* source or tag of a receive that takes any */
#define WEFT_SIM_NONE UINT32_MAX /* no operation */

/* Bounds that keep sums of times within 64 bits. */
#define WEFT_SIM_MOST_RANKS (UINT32_C(1) << 24)
#define WEFT_SIM_MOST_BYTES (UINT64_C(1) << 40)
#define WEFT_SIM_MOST_NANOSECONDS UINT64_C(1000000000000000)
#define WEFT_SIM_MOST_UNITS 64u /* CPUs or NICs of a rank */

enum weft_sim_action {
    WEFT_SIM_SEND,    /* by the CPU, and taken by the CPU of the target */
    WEFT_SIM_PUT,     /* begun by the CPU, and taken by the NIC of the target */
    WEFT_SIM_TRIGGER, /* a put that the NIC begins by itself */
    WEFT_SIM_RECEIVE, /* complete when one of these has come */
    WEFT_SIM_CALCULATE,
    WEFT_SIM_NIC_CALCULATE, /* on the NIC */
    WEFT_SIM_ACTIONS
};

struct weft_sim_operation {
    uint64_t size; /* bytes, or nanoseconds of a computation */
    uint32_t peer;
    uint32_t tag;
    uint32_t rank;
    uint32_t waits;     /* for so many others */
    uint32_t followers; /* where they begin in the list of all */
    uint8_t action;
    uint8_t cpu;
    uint8_t nic;
    bool is_any; /* it waits for one of them, not for all */
};

enum weft_sim_wait {
    WEFT_SIM_WAIT_ALL,   /* until all that it waits for so are complete */
    WEFT_SIM_WAIT_ANY,   /* until one of them is */
    WEFT_SIM_WAIT_BEGUN, /* until all have begun */
};

struct weft_sim_edge {
    uint32_t earlier;
    uint32_t later; /* with WEFT_SIM_EDGE_BEGUN if that waits only for the beginning */
};

#define WEFT_SIM_EDGE_BEGUN (UINT32_C(1) << 31)

/* For operations, and for waits; one is not used, so that tasks can count waits in 30 bits. */
#define WEFT_SIM_MOST_ROOM (UINT32_C(1) << 30)

/* Starts as zeros but for the number of ranks. */
struct weft_sim_graph {
    uint32_t ranks;
    uint32_t cpus, nics; /* of a rank */
    bool has_wildcards;
    bool has_begun;                        /* an edge of this kind */
    bool starved;                          /* there was no memory */
    struct weft_sim_operation *operations; /* when it is finished, one more behind the last */
    uint32_t count, room;
    struct weft_sim_edge *edges; /* until it is finished */
    uint32_t edge_count, edge_room;
    uint32_t *followers; /* of all operations, one after the other; as `later` */
};

void weft_sim_graph_fini(struct weft_sim_graph *graph);

/* Of an empty one, for speed alone: it will have up to so many operations, and as many waits. */
void weft_sim_graph_reserve(struct weft_sim_graph *graph, uint32_t count);

/* The operation gets the next number, from 0; NONE without memory. What it waits for is added
 * later. */
uint32_t weft_sim_graph_add(struct weft_sim_graph *graph,
                            const struct weft_sim_operation *operation);

/* Nothing happens if one of them is NONE. Waits of any and of other kinds do not mix: false. */
bool weft_sim_graph_wait(struct weft_sim_graph *graph, uint32_t later, uint32_t earlier,
                         enum weft_sim_wait wait);

/* Nothing is added afterwards. False if there was no memory. */
bool weft_sim_graph_finish(struct weft_sim_graph *graph);

/* Of a finished one: messages are what NICs exchange alone, but for those that wait for a
 * computation of the CPU, which begins them. */
void weft_sim_graph_offload(struct weft_sim_graph *graph);

static inline bool weft_sim_is_message(const struct weft_sim_operation *operation)
{
    return operation->action < WEFT_SIM_RECEIVE;
}

#endif
