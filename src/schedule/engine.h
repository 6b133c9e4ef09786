/* SPDX-License-Identifier: BSD-3-Clause */
/* What all schedules of a process share. */
#ifndef WEFT_SCHEDULE_ENGINE_H
#define WEFT_SCHEDULE_ENGINE_H

#include <stdbool.h>

#include <weft_schedule.h>

#include "client/client.h"
#include "schedule/bed.h"

/* Indices of the portal table, the same in all processes. */
enum {
    WEFT_SCHEDULE_MESSAGES = 48,
    WEFT_SCHEDULE_PULLS,
    WEFT_SCHEDULE_LOCAL,
    WEFT_SCHEDULE_STREAMS
};

#define WEFT_SCHEDULE_TABLES 4u
#define WEFT_SCHEDULE_NUMBERS 65536u

/* Match bits of WEFT_SCHEDULE_LOCAL that no operation has. */
#define WEFT_SCHEDULE_ECHO (~(ptl_match_bits_t)0)
#define WEFT_SCHEDULE_ALARM (~(ptl_match_bits_t)1)

struct weft_engine {
    ptl_handle_ni_t ni; /* PTL_INVALID_HANDLE: schedules cannot be posted */
    uint32_t rank, size;
    size_t eager;
    size_t atomic;      /* bytes of one atomic operation */
    unsigned tables;    /* allocated ones */
    ptl_handle_eq_t eq; /* failures, and messages that were there before their receives */
    struct weft_schedule_bed bed;
    ptl_handle_me_t echo;  /* answers those who ask whether this process lives */
    ptl_handle_me_t alarm; /* hears of schedules that others have given up */
    ptl_handle_md_t ping;
    size_t lent;          /* bytes of copies for receivers that are late */
    uint16_t *executions; /* of schedules of each number, as far as some were posted */
    uint32_t numbers;     /* so many of them */
    bool is_traced;
    bool *is_dead;   /* of each rank; NULL: none is */
    bool *is_broken; /* of each number; NULL: none is */
};

/* The number of the next execution of such schedules, which is counted; negative without memory.
 */
int weft_schedule_next_execution(weft_engine *engine, uint16_t number);

/* Whether there is something to be taken now. */
bool weft_schedule_has_event(const weft_engine *engine);

static inline ptl_process_t weft_schedule_process(uint32_t rank)
{
    return (ptl_process_t){.rank = rank};
}

#endif
