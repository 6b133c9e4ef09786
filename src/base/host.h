/* SPDX-License-Identifier: BSD-3-Clause */
/* Which host this is, as far as the memory of its processes is concerned: a container, and what
 * looks like a host of its own in tests, counts as another. */
#ifndef WEFT_BASE_HOST_H
#define WEFT_BASE_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct weft_host {
    unsigned char boot[40];
    uint64_t network, processes; /* name spaces */
};

/* False if /proc does not say. */
bool weft_host_learn(struct weft_host *host);
bool weft_host_is_same(const struct weft_host *a, const struct weft_host *b);
/* The same for all processes that see each other's numbers, whatever networks they see. */
uint64_t weft_host_of_processes(const struct weft_host *host);

#endif
