/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that are the same on every host. */
#ifndef WEFT_TESTS_RNG_H
#define WEFT_TESTS_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
    return weft_random_next(&rng->state);
}

/* The stream number `index` of a seed, unrelated to its neighbours. */
static inline struct rng rng_stream(uint64_t seed, uint64_t index)
{
    struct rng outer = {seed};
    struct rng inner = {rng_next(&outer) ^ (index * UINT64_C(0xD1342543DE82EF95))};
    return (struct rng){rng_next(&inner)};
}

/* In [0, limit); limit must not be 0. */
static inline size_t rng_below(struct rng *rng, size_t limit)
{
    return (size_t)(rng_next(rng) % limit);
}

/* In [low, high]. */
static inline ptrdiff_t rng_between(struct rng *rng, ptrdiff_t low, ptrdiff_t high)
{
    return low + (ptrdiff_t)rng_below(rng, (size_t)(high - low) + 1);
}

static inline bool rng_one_in(struct rng *rng, size_t n)
{
    return rng_below(rng, n) == 0;
}

/* In [1, limit], all orders of magnitude alike. */
static inline size_t rng_magnitude(struct rng *rng, size_t limit)
{
    unsigned bits = 0;
    while (limit >> bits)
        bits++;
    size_t bound = (size_t)1 << rng_below(rng, bits);
    size_t value = bound + rng_below(rng, bound);
    return value < limit ? value : limit;
}

#endif
