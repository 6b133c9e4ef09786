/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random allocations whose owners fill them, and look again and again whether somebody else has
 * written there. How they are made the test says: by a heap, or by malloc and its relatives.
 */
#ifndef WEFT_TESTS_HEAP_OWNERS_H
#define WEFT_TESTS_HEAP_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/rng.h"

struct owners_ways {
    /* NULL is no memory, which is no mistake. */
    void *(*take)(struct rng *rng, size_t bytes, bool *is_zero);
    void *(*resize)(void *memory, size_t bytes);
    void (*give)(void *memory);
};

enum { OWNERS_MOST = 24 };

struct owners {
    const struct owners_ways *ways;
    struct rng rng;
    size_t longest;
    struct owners_one {
        unsigned char *memory; /* NULL: nothing */
        size_t bytes;
        unsigned mark;
    } of[OWNERS_MOST];
};

/* Each is false if memory was not as its owner has left it, or not zero where it had to be. */
bool owners_step(struct owners *owners);
bool owners_are_intact(const struct owners *owners);
/* Gives all back. */
bool owners_end(struct owners *owners);

enum { OWNERS_MOST_THREADS = 8 };

/* Each in a thread of its own, to its end. */
bool owners_survive_threads(struct owners owners[], unsigned count, unsigned steps);

/* Steps here and in a child, from the same memory on, again and again, and to the end. */
bool owners_survive_forks(struct owners *owners, unsigned forks, unsigned steps);

#endif
