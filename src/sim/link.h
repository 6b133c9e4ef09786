/* SPDX-License-Identifier: BSD-3-Clause */
/* A network that is never in the way: every node has a link, and what has left it flies to its
 * target. */
#ifndef WEFT_SIM_LINK_H
#define WEFT_SIM_LINK_H

#include "sim/network.h"

/* NULL without memory. */
struct weft_sim_network *weft_sim_link_create(struct weft_sim_engine *engine,
                                              const struct weft_sim_network_user *user,
                                              const struct weft_sim_network_config *config);

#endif
