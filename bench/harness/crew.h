/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that do the same job at the same time and then wait for the next, the even ones on one
 * core and the odd ones on another. They are forked before this process has used the library,
 * which it never does. All failures end the program.
 */
#ifndef WEFT_BENCH_HARNESS_CREW_H
#define WEFT_BENCH_HARNESS_CREW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/setting.h"

#define CREW_MOST 16

enum crew_net { CREW_SHM, CREW_OFI, CREW_TCP, CREW_NETS };

/* Those before it every benchmark knows. */
#define CREW_COMMON CREW_TCP

extern const char *const crew_net_names[CREW_NETS];

/* What joins the processes. */
struct crew_world {
    int net;
    const char *provider; /* of libfabric; NULL: as the settings say */
};

/* The name of shared memory, or of the provider. */
const char *crew_world_name(const struct crew_world *world);

/* What each process does. */
struct crew_member {
    void *job; /* memory for one */
    size_t job_bytes;
    void (*open)(unsigned rank); /* what all jobs need */
    /* Does the job that is in the memory; seconds in the process that keeps the time, 0 in the
     * others. */
    double (*work)(void);
    void (*close)(void);
};

struct crew_plan {
    unsigned size;
    struct crew_world world;
    bool is_job; /* with ranks; else each chooses its address */
    struct crew_member member;
};

/* Returns when all are ready. */
void crew_start(const struct crew_plan *plan);

/* Memory that they share with this process until they stop, if it is made before they start. */
void *crew_share(size_t bytes);

/* Sets a setting of the processes, before they start. */
void crew_set(enum weft_setting setting, size_t value);

/* Gives a job to the first `count` of them; the sum of their answers. */
double crew_run(const void *job, unsigned count);

/* Keeps them from doing anything at all while others are measured. */
void crew_hold(bool hold);

/* Ends them; cases that need a crew are closed by this. */
void crew_stop(size_t group);

/* ---- In the processes --------------------------------------------------------------------- */

/* The first `count` processes have come here. */
void crew_meet(unsigned count);

/* ---- Cores -------------------------------------------------------------------------------- */

/* The first two that this process may use; false if there is only one. */
bool crew_cores(int cores[2]);

/* Moves this process to the core of a rank, and lets it die with the program. Called in a child.
 */
void crew_settle(unsigned rank);

/* Ends the program with errno's message. */
void crew_end_with(const char *what);

#endif
