/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective of schedules on simulated NICs, in virtual time. */
#ifndef WEFT_TOOLS_SIM_OFFLOAD_H
#define WEFT_TOOLS_SIM_OFFLOAD_H

#include <stddef.h>
#include <stdint.h>

#include <weft_schedule.h>

enum sim_offload_kind {
    SIM_OFFLOAD_BCAST,       /* the root starts; the others have posted */
    SIM_OFFLOAD_ALLREDUCE,   /* to a root and back; all start at once */
    SIM_OFFLOAD_DOUBLING,    /* the same by exchanges */
    SIM_OFFLOAD_ACTIVATION,  /* one starts, and all others are awake */
    SIM_OFFLOAD_SOLO_REDUCE, /* the root starts, and the others need not */
    SIM_OFFLOAD_TURN,        /* whatever `build` adds; all start at once */
    SIM_OFFLOAD_KINDS
};

/* Nanoseconds. A NIC takes nothing for what it does to itself. */
struct sim_offload_network {
    uint64_t latency;  /* of a message, */
    uint64_t matching; /* until what waits for it has been started, */
    double gap;        /* and of each byte */
};

struct collective_turn;
typedef int sim_offload_build(weft_schedule *schedule, const struct collective_turn *turn,
                              void *from, void *to);

struct sim_offload {
    enum sim_offload_kind kind;
    uint32_t processes;
    size_t bytes; /* whole items of 2 */
    struct sim_offload_network network;
    sim_offload_build *build; /* of SIM_OFFLOAD_TURN, which has messages of all lengths */
    const struct collective_turn *turn;
};

/* From the first start until the last process has its result, in nanoseconds; 0 if something went
 * wrong, which was said. */
uint64_t sim_offload_run(const struct sim_offload *offload);

#endif
