/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two random types, of a sender and a receiver, for one message. Their packed streams are the same
 * bytes: all that is left of a signature in a normal form. Pair I of seed S is the same on every
 * host, in every run and in every process of a job.
 */
#ifndef WEFT_TESTS_OFFLOAD_PAIR_H
#define WEFT_TESTS_OFFLOAD_PAIR_H

#include "support/model.h"
#include "support/rng.h"
#include "support/side.h"

struct pair {
    struct model *sender, *receiver;
    size_t sender_count, receiver_count;
    struct rng rng; /* for what else there is to choose */
};

struct pair pair_generate(uint64_t seed, uint64_t index, bool may_be_far);
void pair_free(struct pair *pair);

/* The bytes that travel: all that both have. */
size_t pair_length(const struct side *sender, const struct side *receiver);

#endif
