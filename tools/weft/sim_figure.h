/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of [Sch17]: which points they have, and what the paper says of them. */
#ifndef WEFT_TOOLS_SIM_FIGURE_H
#define WEFT_TOOLS_SIM_FIGURE_H

#include "sim_sweep.h"

#define SIM_MOST_POINTS 128u
#define SIM_MOST_CLAIMS 16u

/* A sentence of the paper, or a bar of ours, as a number and where it must be. */
struct sim_claim {
    char text[160];
    double value, least, most;
    const char *why; /* what a miss may come from */
};

struct sim_figure {
    const char *name;
    const char *title, *x_axis;
    size_t seeds; /* unless others are asked for */
    /* Fills in all points of a figure with this base; how many there are. */
    size_t (*plan)(const struct weft_sim_study *base, struct sim_point *points);
    size_t (*judge)(const struct sim_point *points, size_t count, struct sim_claim *claims);
};

/* NULL if there is none of this name. */
const struct sim_figure *sim_figure_find(const char *name);

static inline bool sim_claim_is_met(const struct sim_claim *claim)
{
    return claim->value >= claim->least && claim->value <= claim->most;
}

#endif
