/* SPDX-License-Identifier: BSD-3-Clause */
/* The last part of the way: from the end of all wires to the target, by one of several paths, or
 * to one of the faults. */
#ifndef WEFT_SIM_FLIGHT_H
#define WEFT_SIM_FLIGHT_H

#include "sim/network.h"

/* The state of the faults and paths of what one node sends. */
uint64_t weft_sim_flight_random(uint64_t seed, uint32_t node);

/* The packet leaves its last wire now, or at its departure if that is later. */
void weft_sim_flight_begin(struct weft_sim_packet *packet,
                           const struct weft_sim_network_config *config, uint64_t *random);

/* The packet has no way to go. */
void weft_sim_flight_land(struct weft_sim_packet *packet);

#endif
