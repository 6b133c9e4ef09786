/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens the world in which this process lives, in real time, as the settings choose it.
 *
 * A process that a launcher has started has the address that follows from its rank: nid is the
 * number of its host + 1, pid its rank + 1. So everybody can compute the addresses of all, and
 * the processes of a job meet only each other. Without a launcher, nid is 1 and the processes of
 * a host meet through WEFT_RENDEZVOUS.
 */
#ifndef WEFT_WORLD_WORLD_H
#define WEFT_WORLD_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "nic/world_ops.h"

struct weft_job;
struct weft_job_wireup;

/* The lowest pid from 1 that no process of the host has; in a job, the one of the rank. */
#define WEFT_WORLD_PID_ANY UINT32_MAX

enum weft_world_status {
    WEFT_WORLD_OK,
    WEFT_WORLD_PID_IN_USE,
    WEFT_WORLD_FAILED /* the log says why */
};

/* NULL unless `status` is WEFT_WORLD_OK. A child that was forked must not use the worlds of its
 * parent; if the parent is of a job, it can open none. One thread at a time. */
struct weft_nic_world *weft_world_open(uint32_t pid, enum weft_world_status *status);

/* The job that the first weft_world_open has joined, until the process ends; NULL without. */
const struct weft_job *weft_world_job(void);
struct weft_job_wireup *weft_world_wireup(void);

/* Whether this host carries all processes of the job that are known to be on it: WEFT_SHM_PEERS.
 * If not, the log says so. */
bool weft_world_has_room(void);

/* For a job whose processes have all opened their worlds: from now on they find each other without
 * a file. One process of each host removes the file when all have settled. */
bool weft_world_settle(void);
void weft_world_remove_file(void);

/* The address of a rank of the job: 0, or a negative errno as weft_job_node. Any thread. */
int weft_world_address(uint32_t rank, struct weft_nic_address *address);

#endif
