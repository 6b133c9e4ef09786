/* SPDX-License-Identifier: BSD-3-Clause */
/* How a list of behaviours is tried: see run.c. */
#ifndef WEFT_TESTS_PORTALS_RUN_H
#define WEFT_TESTS_PORTALS_RUN_H

#include <pthread.h>

#include "portals/job.h"

#define RUN_RANKS 64
#define RUN_BEHAVIOURS 512

/* The interface, and who talks to whom. */
struct flavour {
    const char *name;
    bool logical, matching;
    bool self;  /* one process is initiator and target */
    bool lossy; /* the simulated network loses, doubles and reorders packets */
};

/* In memory that the parent and its children share. */
struct run {
    enum job_world world;
    char name[32];          /* of the world, for people */
    unsigned hpus;          /* of each process; 0: handlers run in the thread that receives */
    bool has_slow_cores;    /* simulated ones, which charge for each call of a handler */
    bool has_paths;         /* the simulated network has several, of different length */
    bool has_stages;        /* those of simulated NICs take time */
    const char *other_host; /* name space of the network of every second rank; or NULL */
    const struct flavour *flavour;
    const struct behaviour *plan[RUN_BEHAVIOURS];
    unsigned count;
    pthread_barrier_t between; /* the behaviours: the real processes wait for each other */
    atomic_bool has_first;     /* rank 0 has come: its host is the first */
    atomic_uint at[RUN_RANKS]; /* which behaviour the rank is at */
    struct job_verdict verdicts[RUN_BEHAVIOURS];
};

/* How many ranks a behaviour has in this run. */
unsigned run_ranks(const struct run *run, const struct behaviour *behaviour);

/* One rank, one behaviour. The job is the caller's, who frees what a rank that dies leaves. */
void run_rank(struct run *run, unsigned position, unsigned rank, struct job *job);

/* One behaviour on simulated nodes. */
void run_simulation(struct run *run, unsigned position);

#endif
