/* SPDX-License-Identifier: BSD-3-Clause */
/* A packet on its way through routers: what the sender fills in is its packet alone. It is as long
 * as a line of the cache, since that of most packets that are looked at is not there. */
#ifndef WEFT_SIM_NETWORK_FREIGHT_H
#define WEFT_SIM_NETWORK_FREIGHT_H

#include "sim/network/topology.h"
#include "sim/packet.h"

struct weft_sim_freight {
    struct weft_sim_packet packet; /* first; `departure` is when its tail has left the last link */
    struct weft_sim_way way;
    uint32_t at;              /* port where it is, or will come in */
    struct weft_sim_hop next; /* that it wants, if it is the first of its line */
    uint16_t flits;
    uint8_t channel; /* where it is */
    bool is_marked;  /* it has seen congestion (FECN) */
};

static inline struct weft_sim_freight *weft_sim_freight_of(struct weft_sim_packet *packet)
{
    return (struct weft_sim_freight *)packet;
}

/* Of a packet that is about to leave. */
static inline void weft_sim_freight_load(struct weft_sim_packet *packet, uint32_t flit_size)
{
    struct weft_sim_freight *freight = weft_sim_freight_of(packet);
    freight->way = (struct weft_sim_way){.target = packet->target};
    freight->flits = (uint16_t)((packet->size + flit_size - 1) / flit_size);
    freight->is_marked = false;
}

#endif
