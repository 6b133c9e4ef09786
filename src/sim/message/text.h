/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs as text, in the GOAL language as LogGOPSim reads it:
 *
 *     num_ranks 2
 *     rank 0 {
 *     l1: calc 1000
 *     l2: send 8b to 1 tag 3 cpu 0 nic 0
 *     l2 requires l1
 *     }
 *     rank 1 {
 *     recv 8b from 0 tag 3
 *     }
 *
 * `irequires` waits for the beginning of another. Sources and tags of receives may be -1, any.
 * Ours are `put` and `tput` instead of send (WEFT_SIM_PUT, WEFT_SIM_TRIGGER), `tcalc` instead of
 * calc, and `requires any`.
 */
#ifndef WEFT_SIM_MESSAGE_TEXT_H
#define WEFT_SIM_MESSAGE_TEXT_H

#include "sim/message/graph.h"

struct weft_sim_mistake {
    unsigned line;
    char text[112];
};

/* Into a graph of zeros, which is finished then. False, and what is wrong in which line; the graph
 * is to be ended then, too. */
bool weft_sim_text_read(struct weft_sim_graph *graph, const char *text, size_t size,
                        struct weft_sim_mistake *mistake);

/* What an operation does, as in the text, cut off if there is no room. */
void weft_sim_text_name(const struct weft_sim_operation *operation, char *text, size_t size);

#endif
