/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_WORLD_TRACED_H
#define WEFT_WORLD_TRACED_H

#include "job/wireup.h"
#include "nic/world_ops.h"

/* Traces a world in real time if WEFT_TRACE asks for it, until it is closed. Before the world has
 * a NIC; `job` is NULL without one. */
void weft_world_trace(struct weft_nic_world *world, const struct weft_job *job);

#endif
