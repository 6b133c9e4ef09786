/* SPDX-License-Identifier: BSD-3-Clause */
/* Which host this is, as far as the memory of its processes is concerned: a container, and what
 * looks like a host of its own in tests, counts as another. */
#ifndef WEFT_JOB_MACHINE_H
#define WEFT_JOB_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

struct weft_job_machine {
    unsigned char boot[40];
    uint64_t network, processes; /* name spaces */
};

/* False if /proc does not say. */
bool weft_job_machine_learn(struct weft_job_machine *host);
bool weft_job_machine_is_same(const struct weft_job_machine *a, const struct weft_job_machine *b);
/* The same for all processes that see each other's numbers, whatever networks they see. */
uint64_t weft_job_machine_of_processes(const struct weft_job_machine *host);

#endif
