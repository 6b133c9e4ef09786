/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two worlds at once: `near` for the processes of this host, `far` for all others. The routes are
 * those of the two, so a packet goes straight to the world that moves it; only what concerns both
 * comes through here.
 */
#ifndef WEFT_WORLD_MIXED_H
#define WEFT_WORLD_MIXED_H

#include "nic/world_ops.h"

/* Takes both over, also if it fails: NULL without memory. They must have the same address. */
struct weft_nic_world *weft_world_mixed_open(struct weft_nic_world *near,
                                             struct weft_nic_world *far);

#endif
