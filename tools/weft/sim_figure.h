/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of [Sch17]: which points they have, and what the paper says of them. */
#ifndef WEFT_TOOLS_SIM_FIGURE_H
#define WEFT_TOOLS_SIM_FIGURE_H

#include "sim_claim.h"
#include "sim_list.h"
#include "sim_sweep.h"

#define SIM_MOST_POINTS 128u

struct sim_figure {
    const char *name;
    const char *title, *x_axis;
    size_t seeds; /* unless others are asked for */
    /* Fills in all points of a figure with this base; how many there are. */
    size_t (*plan)(const struct weft_sim_study *base, struct sim_point *points);
    void (*judge)(const struct sim_point *points, size_t count, struct sim_claims *claims);
};

extern const struct sim_list sim_figures;

#endif
