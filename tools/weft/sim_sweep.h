/* SPDX-License-Identifier: BSD-3-Clause */
/* Many simulations of networks, each in a process of its own, some at a time. */
#ifndef WEFT_TOOLS_SIM_SWEEP_H
#define WEFT_TOOLS_SIM_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/network/study.h"

#define SIM_MOST_SEEDS 32u
#define SIM_LABEL 48

/* A study with several seeds, and where it stands in a figure. */
struct sim_point {
    char panel[SIM_LABEL], series[SIM_LABEL], x[SIM_LABEL];
    struct weft_sim_study study;
    size_t seeds;
    struct weft_sim_finding findings[SIM_MOST_SEEDS];
    double seconds[SIM_MOST_SEEDS];
};

struct sim_spread {
    double mean, least, most;
};

/* Runs all points; how long each took is wall-clock time. False, having said why. */
bool sim_sweep_run(struct sim_point *points, size_t count, size_t jobs);

/* Of the throughputs of a point. */
struct sim_spread sim_sweep_spread(const struct sim_point *point);

#endif
