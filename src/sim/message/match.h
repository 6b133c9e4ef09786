/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives that wait for messages, and messages that wait for receives, hashed: the first of a
 * kind that fits is found without a look at the others. Each rank has a table of its own, as long
 * as what it has to do, so that what is used together lies together. Receives that take any source
 * or tag fit more than one hash, so in a graph with such receives all of a rank is in one list.
 */
#ifndef WEFT_SIM_MESSAGE_MATCH_H
#define WEFT_SIM_MESSAGE_MATCH_H

#include "sim/message/graph.h"

struct weft_sim_meeting {
    uint32_t first, last; /* operations */
};

/* Starts as zeros. */
struct weft_sim_match {
    const struct weft_sim_graph *graph;
    struct weft_sim_meeting *meetings;
    uint32_t *tables; /* where that of each rank begins; one more at the end */
    uint32_t *next;   /* of each operation */
};

/* False without memory; it is to be ended then, too. */
bool weft_sim_match_init(struct weft_sim_match *match, const struct weft_sim_graph *graph);
void weft_sim_match_fini(struct weft_sim_match *match);

/* The first message that fits the receive, or the first receive that fits the message, which then
 * waits no longer. If there is none, NONE, and the operation itself waits from now on. */
uint32_t weft_sim_match_meet(struct weft_sim_match *match, uint32_t operation);

/* How many messages wait. */
uint64_t weft_sim_match_messages(const struct weft_sim_match *match);

#endif
