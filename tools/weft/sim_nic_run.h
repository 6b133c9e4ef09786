/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One message between two NICs in virtual time. Handlers run on simulated cores, instruction by
 * instruction; the NIC is that of real worlds. Two ways are models instead: the processor that
 * unpacks takes a time for each byte and each block, and a NIC with a list of blocks is a loop
 * over them.
 */
#ifndef WEFT_TOOLS_SIM_NIC_RUN_H
#define WEFT_TOOLS_SIM_NIC_RUN_H

#include "nic/writes.h"
#include "sim_nic_model.h"

#define SIM_NIC_PERIODS WEFT_NIC_WRITE_PERIODS

/* Times are in nanoseconds. */
struct sim_nic_finding {
    double time;       /* from the sender's call to the last byte in its place */
    double throughput; /* Gbit/s */
    double handler;    /* of a payload handler, on average */
    double longest;
    double busy;                    /* part of the time that HPUs are */
    double writes;                  /* to the host */
    double queue;                   /* most that waited at one time */
    double packets;                 /* most that were in the NIC at one time */
    double memory;                  /* of the NIC, for the type */
    double handling;                /* time from the first byte at the receiver on */
    double moved;                   /* bytes to and from the memory of the host */
    double prepared;                /* time that it takes before the first message */
    double queues[SIM_NIC_PERIODS]; /* most that waited in each period of the study */
    bool is_right;                  /* every byte is where it belongs */
};

/* Whether there are such handlers for the layout of the study, and memory on the NIC. */
bool sim_nic_is_possible(const struct sim_nic_study *study);

/* False, having said why. The timeline is written to `trace`, unless that is NULL. */
bool sim_nic_run(const struct sim_nic_study *study, const char *trace,
                 struct sim_nic_finding *finding);

#endif
