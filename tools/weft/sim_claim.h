/* SPDX-License-Identifier: BSD-3-Clause */
/* What a paper says of a figure, and whether it is so here. */
#ifndef WEFT_TOOLS_SIM_CLAIM_H
#define WEFT_TOOLS_SIM_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#define SIM_MOST_CLAIMS 16u
#define SIM_NO_LIMIT 1e9

/* A sentence of the paper, or a bar of ours, as a number and where it must be. */
struct sim_claim {
    char text[160];
    double value, least, most;
    const char *why; /* what a miss may come from */
};

struct sim_claims {
    struct sim_claim claims[SIM_MOST_CLAIMS];
    size_t count;
};

__attribute__((format(printf, 6, 7))) void sim_claim_add(struct sim_claims *claims, double value,
                                                         double least, double most,
                                                         const char *why, const char *text, ...);

bool sim_claims_are_met(const struct sim_claims *claims);

void sim_claims_print(const struct sim_claims *claims);
void sim_claims_json(const struct sim_claims *claims);

#endif
