/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces cost one test where nobody wants them. */
#ifndef WEFT_NIC_TRACE_H
#define WEFT_NIC_TRACE_H

#include "nic/state.h"

static inline void weft_trace(struct weft_nic *nic, enum weft_trace_what what,
                              const struct weft_peer *peer, uint64_t a, uint64_t b)
{
    struct weft_world *world = nic->world;
    if (__builtin_expect(!world->ops->trace, 1))
        return;
    struct weft_trace record = {world->ops->now(world), what, peer ? peer->address.nid : 0, a, b};
    world->ops->trace(world, &record);
}

#endif
