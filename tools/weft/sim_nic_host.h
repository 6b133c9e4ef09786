/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What it takes the processor of the receiver to unpack a message, as a model: a time for each
 * byte and each block; or, where its cache is simulated, for each line that is not in it. Nobody
 * waits for latencies: lines come as fast as in a stream.
 */
#ifndef WEFT_TOOLS_SIM_NIC_HOST_H
#define WEFT_TOOLS_SIM_NIC_HOST_H

#include "sim_nic_layout.h"

#define SIM_NIC_LINE 64u

struct sim_nic_host_work {
    double time;  /* nanoseconds */
    double lines; /* that came into the cache; 0 where it is not simulated */
};

struct sim_nic_host_work sim_nic_host_unpack(const struct sim_nic_study *study,
                                             const struct ddt_layout *layout);

/* Nanoseconds until the NIC has what it needs to unpack by itself: a list or checkpoints, for
 * which the processor goes through all pieces once, and so many bytes over the bus. */
double sim_nic_host_prepare(const struct sim_nic_study *study, const struct ddt_layout *layout,
                            double bytes);

#endif
