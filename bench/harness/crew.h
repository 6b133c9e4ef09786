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

#define CREW_MOST 16

struct crew_plan {
    unsigned size;
    bool is_ofi;          /* through libfabric; else shared memory */
    bool is_job;          /* with ranks; else each chooses its address */
    const char *provider; /* of libfabric; NULL: as the settings say */
    /* What a process does, with the pipe of its jobs and the pipe of its answers, each of which is
     * a double; the first says that it is ready. Does not return. */
    void (*main)(unsigned rank, void *argument, int jobs, int answers);
    void *argument;
};

/* Returns when all are ready. */
void crew_start(const struct crew_plan *plan);

/* Gives a job to the first `count` of them; the sum of their answers. */
double crew_run(const void *job, size_t bytes, unsigned count);

/* Keeps them from doing anything at all while others are measured. */
void crew_hold(bool hold);
void crew_stop(void);

/* ---- In the processes ---------------------------------------------------------------------- */

/* Says that this process is ready, then does jobs of so many bytes until there are no more. */
struct crew_work {
    void *job; /* memory for one */
    size_t bytes;
    double (*run)(void *context);
    void *context;
};
void crew_serve(const struct crew_work *work, int jobs, int answers);

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
