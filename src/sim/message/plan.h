/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of well-known collectives, for any number of ranks. */
#ifndef WEFT_SIM_MESSAGE_PLAN_H
#define WEFT_SIM_MESSAGE_PLAN_H

#include "sim/message/graph.h"

#define WEFT_SIM_TAG_RESULT 1 /* of messages with the result of ALLREDUCE and SOLO */

enum weft_sim_scheme {
    WEFT_SIM_BCAST,     /* down a binomial tree */
    WEFT_SIM_ALLREDUCE, /* up a binomial tree and down again */
    WEFT_SIM_DOUBLING,  /* an allreduce by recursive doubling */
    WEFT_SIM_RING,      /* an allreduce by a reduce-scatter and an allgather in a ring */
    WEFT_SIM_BARRIER,   /* by dissemination */
    WEFT_SIM_ALLTOALL,  /* everybody to everybody, at once */
    WEFT_SIM_FFT2D, /* two computations with a transposition after each, [DiG19], section 5.5 */
    WEFT_SIM_SOLO,  /* ALLREDUCE that runs as soon as one rank has begun, [DiG15], section IV */
    WEFT_SIM_SCHEMES
};

struct weft_sim_plan {
    enum weft_sim_scheme scheme;
    uint32_t ranks;
    uint64_t size;     /* bytes of a message; of RING, of all that is reduced */
    bool is_offloaded; /* NICs do it all, but for the beginning of what waits for a CPU */
    bool computes;     /* every rank computes before */
    uint64_t compute;  /* nanoseconds; of FFT2D, each of the two */
    uint64_t combine;  /* nanoseconds to combine two messages in a reduction */
    uint64_t unpack;   /* nanoseconds of the CPU to unpack a message of FFT2D; 0: nothing */
    uint64_t packet;   /* bytes of which BCAST forwards each when it comes; 0: all at once */
};

/* Into a graph of zeros, which is finished then. False without memory; the graph is to be ended
 * then, too. */
bool weft_sim_plan_build(const struct weft_sim_plan *plan, struct weft_sim_graph *graph);

/* How many messages that is. */
uint64_t weft_sim_plan_messages(const struct weft_sim_plan *plan);

#endif
