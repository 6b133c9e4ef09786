/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that are the same in every run, so that all programs measure the same layouts. */
#ifndef WEFT_BENCH_HARNESS_RANDOM_H
#define WEFT_BENCH_HARNESS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    return weft_random_next(&random->state);
}

static inline size_t random_below(struct random *random, size_t limit)
{
    return (size_t)(random_next(random) % limit);
}

static inline void random_shuffle(struct random *random, int32_t *list, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = random_below(random, i);
        int32_t swapped = list[i - 1];
        list[i - 1] = list[j];
        list[j] = swapped;
    }
}

#endif
