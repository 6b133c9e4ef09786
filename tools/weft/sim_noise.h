/* SPDX-License-Identifier: BSD-3-Clause */
/* Noise as a word: none, uniform MOST, poisson INTERVAL DURATION, recorded FILE. */
#ifndef WEFT_TOOLS_SIM_NOISE_H
#define WEFT_TOOLS_SIM_NOISE_H

#include "sim_costs.h"

/* False if that makes no sense; what is wrong with a file has been said. */
bool sim_noise_set(struct sim_costs *costs, const char *text);
void sim_noise_name(const struct sim_costs *costs, char *text, size_t size);
void sim_noise_fini(struct sim_costs *costs);

/* A number with a unit, ps, ns, us, ms or s, in picoseconds; 0 needs none. What is behind it goes
 * to `end`. */
bool sim_noise_time(const char *text, const char **end, uint64_t *picoseconds);

#endif
