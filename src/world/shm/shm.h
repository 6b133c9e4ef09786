/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world of the processes of one user on one host. Read segment.h first (what is shared),
 * then ring.h (how a packet passes), rendezvous.h (how processes find each other) and peer.h
 * (what becomes of them).
 */
#ifndef WEFT_WORLD_SHM_SHM_H
#define WEFT_WORLD_SHM_SHM_H

#include <stdbool.h>
#include <stdint.h>

#include "world/world.h"

/* The processes of one host have one `nid` and one rendezvous file. */
struct weft_nic_world *weft_shm_open(struct weft_nic_address self, const char *rendezvous,
                                     enum weft_world_status *status);

/* As weft_shm_rendezvous_settle and weft_shm_rendezvous_remove. */
bool weft_shm_settle(struct weft_nic_world *world);
void weft_shm_forget_file(const struct weft_nic_world *world);

/* What one process that is connected both ways takes of our memory, in bytes. */
struct weft_shm_memory {
    size_t record;
    size_t ring; /* that it writes to */
    size_t most; /* of all rings, if so many processes send */
    uint32_t peers;
};

struct weft_shm_memory weft_shm_memory(const struct weft_nic_world *world);

#endif
