/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One switch between all links. A packet begins to leave its link when the switch has room for it;
 * links that wait get room in the order in which they came. In the switch, packets to one node
 * wait for each other, at the rate at which the node takes them. So a node that takes little fills
 * the switch with its packets, if its senders let it, and then all links wait for that node.
 */
#ifndef WEFT_SIM_SWITCH_H
#define WEFT_SIM_SWITCH_H

#include "sim/network.h"

struct weft_sim_switch_config {
    struct weft_sim_network_config network;
    uint64_t buffer;       /* bytes in the switch; no packet may be longer */
    const uint64_t *sinks; /* bytes that each node takes in a microsecond; NULL: as links */
};

/* NULL without memory. The rates of the sinks stay its user's. */
struct weft_sim_network *weft_sim_switch_create(struct weft_sim_engine *engine,
                                                const struct weft_sim_network_user *user,
                                                const struct weft_sim_switch_config *config);

#endif
