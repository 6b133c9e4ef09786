/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world of the processes of one user on one host. Read segment.h first (what is shared),
 * then ring.h (how a packet passes), rendezvous.h (how processes find each other) and peer.h
 * (what becomes of them).
 */
#ifndef WEFT_WORLD_SHM_SHM_H
#define WEFT_WORLD_SHM_SHM_H

#include <stdint.h>

#include "world/world.h"

struct weft_world *weft_shm_open(uint32_t pid, enum weft_world_status *status);

#endif
