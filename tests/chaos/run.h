/* SPDX-License-Identifier: BSD-3-Clause */
/* What every run of a seed has: nodes that may crash and wait for each other, the first thing that
 * went wrong, and a trace. */
#ifndef WEFT_TESTS_CHAOS_RUN_H
#define WEFT_TESTS_CHAOS_RUN_H

#include <stdio.h>

#include "portals/simulate.h"

#define RUN_PHASES 4u
#define RUN_COMPLAINT 512u

/* What the command wants of every seed. */
struct run_wish {
    unsigned nodes; /* 0: as many as the seed wants */
    bool has_paths; /* of different length, between any two nodes */
};

struct run {
    unsigned nodes;
    struct weft_portals_plan plan;
    struct weft_sim_totals totals;
    unsigned present[RUN_PHASES]; /* nodes that have come to the end of a phase */
    uint64_t end;                 /* the time after the simulation */
    bool has_failed;
    char complaint[RUN_COMPLAINT];
    FILE *trace_file; /* or NULL */
    uint64_t trace_hash;
    struct block *blocks; /* of run_make */
};

/* Paths of different length; all else that the seed has drawn stays as it is. */
void run_draw_paths(uint64_t seed, struct weft_sim_config *world);

/* Packets may overtake each other, or be sent again: the NIC numbers them. */
static inline bool run_reorders(const struct weft_sim_config *world)
{
    return !world->reliable || world->paths > 1;
}

/* `program` runs on every node with `argument`; 0, or as weft_portals_simulate_plan. */
int run_simulate(struct run *run, const struct weft_sim_config *world,
                 void (*program)(unsigned node, void *argument), void *argument);
void run_close(struct run *run);

/* The first failure counts; programs end as soon as they see it. */
__attribute__((format(printf, 3, 4))) void run_fail(struct run *run, unsigned node,
                                                    const char *format, ...);

/* Zeros that live as long as the run: what went away in a model may still be named by a wrong
 * event. NULL fails the run. */
void *run_make(struct run *run, size_t size);

uint64_t run_now(const struct run *run);
void run_pause(uint64_t nanoseconds);
bool run_is_dead(const struct run *run, unsigned node);

/* What left a node before it crashed may still begin a message. */
bool run_has_last_words(const struct run *run, const struct weft_sim_config *world);

/* All nodes that live have come to the end of the phase. */
void run_arrive(struct run *run, unsigned node, unsigned phase);
bool run_all_present(const struct run *run, unsigned phase);

/* For a node that waits for the others: starts as 0, and each nap is longer than the last. */
void run_nap(uint64_t *last);

/* Into the hash, and into the file if there is one. */
void run_record(struct run *run, unsigned node, const struct weft_trace_line *record);

#endif
