/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What changes of an operation while its job runs. In a job of many ranks hardly anything is still
 * in a cache when it is needed again, so it is short, and those of one rank lie together.
 */
#ifndef WEFT_SIM_MESSAGE_TASK_H
#define WEFT_SIM_MESSAGE_TASK_H

#include "sim/message/graph.h"

#define WEFT_SIM_MOST_WAITS (WEFT_SIM_MOST_ROOM - 1)

struct weft_sim_task {
    struct weft_sim_job *job;
    uint64_t time;       /* at which a message that is there can be matched */
    uint32_t next;       /* in the line where it waits, or NONE */
    uint32_t waits : 30; /* for so many others, still; no graph has more edges */
    uint32_t is_begun : 1;
    uint32_t is_complete : 1;
};

#endif
