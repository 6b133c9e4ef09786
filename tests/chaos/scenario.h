/* SPDX-License-Identifier: BSD-3-Clause */
/* What a seed decides before anything runs: the world, its faults, and how hard it is driven. */
#ifndef WEFT_TESTS_CHAOS_SCENARIO_H
#define WEFT_TESTS_CHAOS_SCENARIO_H

#include <portals4.h>

#include "chaos/run.h"
#include "portals/simulate.h"
#include "support/rng.h"

#define SCENARIO_NODES 32u
#define SCENARIO_GHOST SCENARIO_NODES /* the number of a node that does not exist */
#define SCENARIO_CRASHES 2u

struct scenario {
    uint64_t seed;
    struct weft_sim_config world;
    struct weft_portals_crash crashes[SCENARIO_CRASHES];
    unsigned crash_count;
    unsigned interface;       /* options of PtlNIInit for the puts, gets and so on, */
    unsigned chain_interface; /* and for the chains of triggered operations: never the same */
    ptl_ni_limits_t limits;   /* desired for the first; 0: as they are */
    ptl_rank_t ranks[SCENARIO_NODES]; /* of the nodes, on logical interfaces */
    unsigned steps;                   /* of each program */
    uint32_t longest;                 /* message */
    uint32_t pace;                    /* nanoseconds between two steps, at the most */
    uint32_t queue_length;            /* of the event queues of targets */
    bool is_sparse;                   /* most pairs of nodes never talk in one direction */
    unsigned crowd;                   /* entries that a program begins with, at the most */
    unsigned bits;                    /* values of match bits that are used */
};

struct scenario scenario_draw(uint64_t seed, struct run_wish wish);

void scenario_print(const struct scenario *scenario);

#endif
