/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A campaign tries random types until one fails, which is shrunk and printed.
 *
 *   program [--seed S] [--first I] [--count N]
 *
 * Type I of seed S is the same on every host and in every run.
 */
#ifndef WEFT_TESTS_CAMPAIGN_H
#define WEFT_TESTS_CAMPAIGN_H

#include "type/random/trial.h"

/* The value is what main returns. */
int campaign_run(int argc, char **argv, const trial_check *checks);

/* With trials from elsewhere: number `index` of a seed. */
typedef struct trial (*campaign_source)(uint64_t seed, uint64_t index);
int campaign_run_with(int argc, char **argv, campaign_source source, const trial_check *checks);

#endif
