/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way is the fastest: rules that were measured. Of those for a collective, the last counts
 * whose number of processes is there, and whose bytes are, as many times as there are so many
 * processes. The first is also for fewer processes.
 */
#ifndef WEFT_COLLECTIVE_TABLE_H
#define WEFT_COLLECTIVE_TABLE_H

#include <weft_collective.h>

enum weft_collective_name {
    WEFT_COLLECTIVE_BCAST,
    WEFT_COLLECTIVE_REDUCE,
    WEFT_COLLECTIVE_ALLREDUCE,
    WEFT_COLLECTIVE_ALLGATHER,
    WEFT_COLLECTIVE_ALLTOALL,
    WEFT_COLLECTIVE_NAMES
};

struct weft_collective_rule {
    enum weft_collective_name name;
    uint32_t processes;
    size_t bytes; /* of all blocks, where there is one for each process */
    enum weft_collective_way way;
};

/* The last has WEFT_COLLECTIVE_AUTO. */
extern const struct weft_collective_rule weft_collective_rules[];

#endif
