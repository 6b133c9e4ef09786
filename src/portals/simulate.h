/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs ordinary Portals programs on simulated nodes, in virtual time: each node is a process of
 * its own to the library, with its own PtlInit, interfaces and handles. They share their memory,
 * so programs keep their state on the stack.
 */
#ifndef WEFT_PORTALS_SIMULATE_H
#define WEFT_PORTALS_SIMULATE_H

#include <portals4.h>

#include "world/sim/sim.h"

struct weft_portals_crash {
    unsigned node;
    uint64_t when;
};

struct weft_portals_plan {
    /* Instead of the program: one that reacts (weft_sim_start_reacting), or NULL. */
    bool (*react)(unsigned node, void *argument, struct weft_sim_turn *turn);
    /* Outlives the simulation: PtlSetMap with it makes no copy for each node. Or NULL. */
    const ptl_process_t *map;
    const struct weft_portals_crash *crashes;
    unsigned crash_count;
    struct weft_sim_totals *totals; /* NULL if nobody wants them */
    uint64_t *end;                  /* the virtual time at the end, or NULL */
};

/* Runs `program(node, argument)` on every node; 0, or a negative errno as weft_sim_run. `enter`
 * and `step` of the configuration are filled in here. */
int weft_portals_simulate(const struct weft_sim_config *config,
                          void (*program)(unsigned node, void *argument), void *argument);
int weft_portals_simulate_plan(const struct weft_sim_config *config,
                               void (*program)(unsigned node, void *argument), void *argument,
                               const struct weft_portals_plan *plan);

#endif
