/* SPDX-License-Identifier: BSD-3-Clause */
/* One simulation with hosts that send all the time, run until its throughput does not change. */
#ifndef WEFT_SIM_NETWORK_STUDY_H
#define WEFT_SIM_NETWORK_STUDY_H

#include "sim/network/host.h"

enum weft_sim_shape {
    WEFT_SIM_SHAPE_DRAGONFLY, /* nodes of a router, routers of a group, global links of a router */
    WEFT_SIM_SHAPE_FAT_TREE,  /* arity, levels */
    WEFT_SIM_SHAPE_TORUS,     /* x, y, z, nodes of a router */
    WEFT_SIM_SHAPE_STAR,      /* nodes */
    WEFT_SIM_SHAPE_OWN,       /* what `own` makes */
};

/* All that a study depends on. Times are in cycles: a link passes one flit in each. */
struct weft_sim_study {
    enum weft_sim_shape shape;
    uint32_t sizes[4];
    struct weft_sim_topology *(*own)(uint32_t size); /* gets the first of the sizes */
    struct weft_sim_routing routing;
    uint32_t packet, buffer; /* flits */
    double speedup;          /* of crossbars */
    uint32_t pipeline;
    uint32_t node_latency, local_latency, global_latency;
    enum weft_sim_pattern_kind pattern;
    uint32_t pattern_number;
    double slow;       /* part of nodes */
    uint32_t slowness; /* how many times as long they take */
    enum weft_sim_window_kind window;
    uint32_t window_size;
    double window_gain;
    bool has_transfers; /* nodes are NICs that run transfers, which is for the caller to see to */
    uint32_t chunk;     /* packets that a transfer asks for at once */
    bool is_notified;
    double mark_from, mark_rate;
    uint32_t becn_add, becn_drop, becn_most, becn_every;
    uint64_t seed;        /* of traffic, slow nodes and decisions */
    bool by_flit;         /* the reference */
    uint32_t sample;      /* cycles */
    uint32_t least, most; /* cycles that are simulated */
    double tolerance;     /* how far three samples may differ at the end */
};

struct weft_sim_finding {
    double throughput; /* flits that a node takes in a cycle, over the last three samples */
    double of_slow;    /* the same of slow nodes alone; 0 if there are none */
    double latency;    /* cycles from sending a packet until it has been taken */
    double detours;    /* part of packets that took one */
    double marks;      /* part of packets that were marked */
    uint32_t nodes;
    uint64_t cycles; /* that were simulated */
    uint64_t events;
    bool has_converged;
};

/* As in [Sch17], section 4.1, as far as it says. */
struct weft_sim_study weft_sim_study_paper(void);

/* ---- Step by step ------------------------------------------------------------------------- */

/* Ticks of a cycle, so that a flit in a crossbar with a speed-up of 2.4 takes 5 of them. */
#define WEFT_SIM_CYCLE 12u
#define WEFT_SIM_SAMPLES 3u

/* What has been counted at some time. */
struct weft_sim_tally {
    uint64_t taken, taken_by_slow; /* flits */
    uint64_t packets, time, detours, marks;
};

/* It must not move while it is open. */
struct weft_sim_run {
    struct weft_sim_engine engine;
    struct weft_sim_topology *topology;
    struct weft_sim_fabric_config fabric;
    struct weft_sim_pattern pattern;
    struct weft_sim_hosts hosts;
    uint32_t *sinks;
    struct weft_sim_tally tallies[WEFT_SIM_SAMPLES + 1]; /* after samples, the newest first */
};

/* Makes all but the engine's events: the network is described, and has no hosts yet. False without
 * memory, or if the shape makes no sense; it is to be closed then, too. */
bool weft_sim_run_prepare(struct weft_sim_run *run, const struct weft_sim_study *study);

/* The same, and hosts begin to send. */
bool weft_sim_run_open(struct weft_sim_run *run, const struct weft_sim_study *study);
void weft_sim_run_close(struct weft_sim_run *run);

/* Simulates until that cycle. */
void weft_sim_run_sample(struct weft_sim_run *run, uint64_t until);

/* ---- To the end --------------------------------------------------------------------------- */

/* False without memory, or if the shape makes no sense. */
bool weft_sim_study_run(const struct weft_sim_study *study, struct weft_sim_finding *finding);

#endif
