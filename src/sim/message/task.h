/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An operation of a job that runs, with all that changes meanwhile. In a job of many ranks hardly
 * anything is still in a cache when it is needed again, so what an event touches is one line of
 * it.
 */
#ifndef WEFT_SIM_MESSAGE_TASK_H
#define WEFT_SIM_MESSAGE_TASK_H

#include "sim/message/graph.h"

#define WEFT_SIM_CACHE_LINE 64u

struct weft_sim_task {
    _Alignas(WEFT_SIM_CACHE_LINE) struct weft_sim_operation operation; /* `waits` counts down */
    struct weft_sim_job *job;
    uint64_t time; /* at which a message that is there can be matched */
    uint32_t next; /* in the line where it waits, or NONE */
    bool has_followers;
    bool is_begun;
    bool is_complete;
};

#endif
