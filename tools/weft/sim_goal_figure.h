/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of papers about whole jobs: which points they have, and what the papers say of them. */
#ifndef WEFT_TOOLS_SIM_GOAL_FIGURE_H
#define WEFT_TOOLS_SIM_GOAL_FIGURE_H

#include "sim/message/job.h"
#include "sim/message/plan.h"
#include "sim_claim.h"
#include "sim_list.h"

#define SIM_MOST_GOAL_POINTS 128u

struct sim_goal_point {
    const char *panel, *series;
    struct weft_sim_costs costs;
    struct weft_sim_plan plan;
    bool until_result; /* it ends when all have the result, not when all is over */
    double more;       /* microseconds that come behind it */
    double time;       /* microseconds: what came out */
};

struct sim_goal_figure {
    const char *name, *title;
    /* Fills in all points; how many there are. */
    size_t (*plan)(struct sim_goal_point *points);
    void (*judge)(const struct sim_goal_point *points, size_t count, struct sim_claims *claims);
};

extern const struct sim_list sim_goal_figures;

/* False without memory, or if a job does not end. */
bool sim_goal_point_run(struct sim_goal_point *point);

#endif
