/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces a world in real time if WEFT_TRACE asks for it: what its NIC does goes into a ring, and
 * the timeline is written when the world is closed, or else when the process ends. The ring lives
 * as long as the process, so the file also tells of earlier worlds.
 */
#ifndef WEFT_WORLD_TRACER_H
#define WEFT_WORLD_TRACER_H

#include "nic/world.h"

struct weft_job;

/* Before the world has a NIC. If it cannot be traced, a warning says why and what to do. */
void weft_tracer_attach(struct weft_world *world, const struct weft_job *job);

/* The process ends: writes the timeline of a world that nobody has closed. */
void weft_tracer_end(void);

#endif
