/* SPDX-License-Identifier: BSD-3-Clause */
/* A packet on its way through routers: what the sender fills in is its packet alone. */
#ifndef WEFT_SIM_NETWORK_FREIGHT_H
#define WEFT_SIM_NETWORK_FREIGHT_H

#include "sim/network/topology.h"
#include "sim/packet.h"

struct weft_sim_freight {
    struct weft_sim_packet packet; /* first */
    uint64_t tail;                 /* when its last flit is where the first one is or goes */
    struct weft_sim_way route;
    uint32_t at;              /* port where it is, or will come in */
    uint16_t channel;         /* there */
    struct weft_sim_hop next; /* that it wants, if it is the first of its line */
    uint16_t flits;
    bool is_marked; /* it has seen congestion (FECN) */
};

static inline struct weft_sim_freight *weft_sim_freight_of(struct weft_sim_packet *packet)
{
    return (struct weft_sim_freight *)packet;
}

#endif
