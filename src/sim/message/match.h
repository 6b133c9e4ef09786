/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives that wait for messages, and messages that wait for receives, hashed: the first of a
 * kind that fits is found without a look at the others. Each rank has a table of its own, as long
 * as it has receives, so that what is used together lies together. Receives that take any source
 * or tag fit more than one hash, so in a graph with such receives all of a rank is in one list.
 */
#ifndef WEFT_SIM_MESSAGE_MATCH_H
#define WEFT_SIM_MESSAGE_MATCH_H

#include "sim/message/task.h"

struct weft_sim_meeting {
    uint32_t first, last; /* operations */
};

/* Starts as zeros. */
struct weft_sim_match {
    const struct weft_sim_operation *operations;
    struct weft_sim_task *tasks;
    struct weft_sim_meeting *meetings;
    uint32_t *tables; /* where that of each rank begins; one more at the end */
    bool has_wildcards;
    uint64_t messages; /* that wait */
};

/* `tasks` are those of all operations of the graph. False without memory; it is to be ended then,
 * too. */
bool weft_sim_match_init(struct weft_sim_match *match, const struct weft_sim_graph *graph,
                         struct weft_sim_task *tasks);
void weft_sim_match_fini(struct weft_sim_match *match);

/* The first message that fits the receive, or the first receive that fits the message, which then
 * waits no longer. If there is none, NONE, and the operation itself waits from now on. */
uint32_t weft_sim_match_meet(struct weft_sim_match *match, uint32_t operation);

/* What such a meeting will touch comes into the cache: first the meeting, and at the second time
 * who is there. */
void weft_sim_match_fetch(const struct weft_sim_match *match, uint32_t operation, bool is_second);

#endif
