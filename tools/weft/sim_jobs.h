/* SPDX-License-Identifier: BSD-3-Clause */
/* Many simulations, each in a process of its own, some at a time, with a line of progress. */
#ifndef WEFT_TOOLS_SIM_JOBS_H
#define WEFT_TOOLS_SIM_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#define SIM_JOB_NAME 160

struct sim_jobs {
    size_t count, at_once;
    void *argument;
    /* Runs one, and leaves what came out in memory that is shared with its parent. */
    void (*run)(void *argument, size_t number);
    /* Whether another has the same result, so that it need not run; NULL: none has. */
    bool (*is_copy)(void *argument, size_t number);
    void (*name)(void *argument, size_t number, char name[SIM_JOB_NAME]);
};

/* False if a process could not be started, or did not come to its end. */
bool sim_jobs_run(const struct sim_jobs *jobs);

/* Zeros that processes share; NULL without memory. */
void *sim_jobs_memory(size_t bytes);
void sim_jobs_forget(void *memory, size_t bytes);

#endif
