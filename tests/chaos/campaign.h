/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs seed after seed, some of them twice, and says how to replay one that fails. */
#ifndef WEFT_TESTS_CHAOS_CAMPAIGN_H
#define WEFT_TESTS_CHAOS_CAMPAIGN_H

#include "chaos/run.h"

/* What came of a seed. */
struct outcome {
    bool holds;
    char complaint[RUN_COMPLAINT];
    uint64_t trace_hash;
    uint64_t ops;
    uint64_t packets;
    uint64_t end; /* nanoseconds of virtual time */
};

struct campaign {
    unsigned most_nodes;
    /* Runs a seed; `trace_file` may be NULL. */
    struct outcome (*run)(uint64_t seed, struct run_wish wish, FILE *trace_file);
    void (*print)(uint64_t seed, struct run_wish wish);
    /* Checks what only many seeds together show; NULL if there is nothing. */
    void (*conclude)(uint64_t seeds);
};

/* The arguments are those of the command; the value is what main returns. */
int campaign_main(int argc, char **argv, const struct campaign *campaign);

#endif
