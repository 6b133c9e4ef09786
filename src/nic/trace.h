/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces cost one test where nobody wants them. */
#ifndef WEFT_NIC_TRACE_H
#define WEFT_NIC_TRACE_H

#include "base/rare.h"
#include "nic/state.h"

void weft_nic_trace_write(struct weft_nic_world *world, enum weft_trace_what what,
                          const struct weft_nic_peer *peer, uint64_t a, uint64_t b);

/* With a time of its own. */
void weft_nic_trace_write_at(struct weft_nic_world *world, uint64_t time,
                             enum weft_trace_what what, const struct weft_nic_peer *peer,
                             uint64_t a, uint64_t b);

static inline void weft_nic_trace(struct weft_nic *nic, enum weft_trace_what what,
                                  const struct weft_nic_peer *peer, uint64_t a, uint64_t b)
{
    if (weft_rare(nic->traces))
        weft_nic_trace_write(nic->world, what, peer, a, b);
}

#endif
