/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes to host memory, where they take virtual time. A handler runs to its end at once, and says
 * of each write when it is issued; so writes of handlers that overlap come here in another order
 * than that in which the DMA engine serves them. They wait in a heap until their time has come.
 */
#ifndef WEFT_NIC_WRITES_H
#define WEFT_NIC_WRITES_H

#include <stdbool.h>
#include <stddef.h>

#include "nic/config.h"
#include "nic/server.h"

struct weft_nic_write {
    uint64_t issue; /* nanoseconds */
    uint64_t order; /* the earlier first at equal times */
    uint64_t bytes;
    uint32_t message; /* the id of its activation */
};

#define WEFT_NIC_WRITE_PERIODS 16u

struct weft_nic_write_counts {
    uint64_t issued; /* = served + waiting, as are their bytes */
    uint64_t served;
    uint64_t waiting;
    uint64_t bytes;        /* that were issued, */
    uint64_t served_bytes; /* and served */
    uint64_t deepest;      /* most that were issued and not served, at one time, */
    uint64_t deepest_in[WEFT_NIC_WRITE_PERIODS]; /* and in each period, if there are any */
};

struct weft_nic_writes {
    struct weft_nic_server engine;
    uint64_t latency, rate, period;
    uint32_t tlp_header, tlp_payload;
    struct weft_nic_write *heap;
    size_t count, room;
    uint64_t *ends; /* of services that were not over at the last issue: a ring, picoseconds */
    size_t end_first, end_count, end_room;
    struct weft_nic_write_counts counts;
    bool is_starved; /* there was no memory for a write: times are too short */
};

void weft_nic_writes_close(struct weft_nic_writes *writes);

void weft_nic_writes_add(struct weft_nic_writes *writes, uint64_t issue, uint64_t bytes,
                         uint32_t message);

/* The next of those issued by `now`: its message, and when it is in host memory. False: none. */
bool weft_nic_writes_serve(struct weft_nic_writes *writes, uint64_t now, uint32_t *message,
                           uint64_t *end);

/* What the engine takes for one, in picoseconds. */
uint64_t weft_nic_writes_service(const struct weft_nic_writes *writes, uint64_t bytes);

#endif
