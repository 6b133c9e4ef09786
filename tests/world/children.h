/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that a test starts, stops and kills, and the memory through which they tell each other
 * how far they are. The test itself never opens a world: libfabric does not survive a fork, and
 * settings are read once per process and differ between the tests.
 */
#ifndef WEFT_TESTS_WORLD_CHILDREN_H
#define WEFT_TESTS_WORLD_CHILDREN_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"

#define PATIENCE (30 * WEFT_CLOCK_SECOND)

struct stage {
    _Atomic uint32_t step; /* how far the test has come */
    _Atomic uint32_t committed;
    _Atomic uint32_t refusals; /* that are to be counted, at least */
    uint32_t senders;          /* so many of them send */
    uint32_t stream;           /* so many packets each */
};

extern struct stage *stage;

/* Opens the stage. */
void prepare_children(void);

/* Memory that this process shares with those that it starts; never given back. */
void *share_memory(size_t size);

void set(const char *name, const char *value);

pid_t start(void (*role)(uint32_t pid), uint32_t pid);
bool ended_well(pid_t child);
bool run_alone(void (*role)(uint32_t pid));
/* As 1 and 2, the first of which is there first. */
bool run_both(void (*first)(uint32_t pid), void (*second)(uint32_t pid));
void kill_and_reap(pid_t child);

/* In a child, which has no TAP of its own: says what went wrong and ends. */
#define need(condition) need_at((condition), __FILE__, __LINE__, #condition)
void need_at(bool holds, const char *file, int line, const char *what);

#define wait_until(condition)                                                                     \
    for (uint64_t limit_ = weft_clock_now() + PATIENCE; !(condition);) {                          \
        need(weft_clock_now() < limit_);                                                          \
        sched_yield();                                                                            \
    }

#endif
