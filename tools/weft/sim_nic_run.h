/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One message between two NICs in virtual time. Handlers run on simulated cores, instruction by
 * instruction; the NIC is that of real worlds. Two ways are models instead: the processor that
 * unpacks takes a time for each byte and each block, and a NIC with a list of blocks is a loop
 * over them.
 */
#ifndef WEFT_TOOLS_SIM_NIC_RUN_H
#define WEFT_TOOLS_SIM_NIC_RUN_H

#include "sim_nic_model.h"

/* Times are in nanoseconds. */
struct sim_nic_finding {
    double time;       /* from the sender's call to the last byte in its place */
    double throughput; /* Gbit/s */
    double handler;    /* of a payload handler, on average */
    double longest;
    double busy;    /* part of the time that HPUs are */
    double writes;  /* to the host */
    double queue;   /* most that waited at one time */
    double packets; /* most that were in the NIC at one time */
    double memory;  /* of the NIC, for the type */
    bool is_right;  /* every byte is where it belongs */
};

/* False, having said why. The timeline is written to `trace`, unless that is NULL. */
bool sim_nic_run(const struct sim_nic_study *study, const char *trace,
                 struct sim_nic_finding *finding);

#endif
