/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of this process as rivals: a turn is a batch of calls. Batches in which the process
 * was preempted do not count.
 */
#ifndef WEFT_BENCH_HARNESS_MEASURE_H
#define WEFT_BENCH_HARNESS_MEASURE_H

#include "bench/harness/contest.h"

struct measured {
    void (*run)(void *context);
    void *context;
};

struct measure_options {
    double seconds; /* for all together, at least MEASURE_LEAST_ROUNDS rounds */
    /* Called before every timed run, or NULL to time warm caches: then an untimed run comes
     * before each batch. */
    void (*before_each)(void *context);
    void *context;
};

#define MEASURE_LEAST_ROUNDS 7

/* Lets them compete; `contestants` has room for as many. */
void measure(const struct measured *measured, struct contestant *contestants, size_t count,
             const struct measure_options *options);

double measure_now(void); /* seconds */

/* Keeps the process on one of the processors that it may use. */
void measure_stay_here(void);

/* Fresh pages: the same alignment for all that is measured. Or the end of the program. */
char *measure_map(size_t bytes);

/* Writes [memory, memory + bytes) back and drops it from all caches. */
void measure_flush(const void *memory, size_t bytes);
/* To be called once after flushing. */
void measure_flush_end(void);

#endif
