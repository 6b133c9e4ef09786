/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timing of contenders against each other: in rounds, in which every contender has one short
 * batch, in rotating order. What disturbs the machine then disturbs all of them, and ratios are
 * medians of ratios within a round. Batches in which the process was preempted do not count.
 */
#ifndef WEFT_BENCH_HARNESS_MEASURE_H
#define WEFT_BENCH_HARNESS_MEASURE_H

#include <stddef.h>

struct contender {
    void (*run)(void *context);
    void *context;

    /* Seconds for one run, set by measure(). */
    double median;
    double minimum;

    size_t batch; /* runs timed together */
    double *rounds;
};

struct measure_options {
    double seconds; /* for all contenders together, at least MEASURE_MIN_ROUNDS rounds */
    /* Called before every timed run, or NULL to time warm caches: then an untimed run comes
     * before each batch. */
    void (*before_each)(void *context);
    void *context;
};

#define MEASURE_MIN_ROUNDS 7

/* Returns the number of rounds. */
size_t measure(struct contender *contenders, size_t count, const struct measure_options *options);

/* How many times as long as `other` a contender takes. */
double measure_ratio(const struct contender *one, const struct contender *other, size_t rounds);

/* Frees the rounds of the contenders. */
void measure_clear(struct contender *contenders, size_t count);

double measure_now(void); /* seconds */
double measure_median(const double *values, size_t count);

/* Keeps the process on one of the processors that it may use. */
void measure_stay_here(void);

/* Writes [memory, memory + bytes) back and drops it from all caches. */
void measure_flush(const void *memory, size_t bytes);
/* To be called once after flushing. */
void measure_flush_end(void);

#endif
