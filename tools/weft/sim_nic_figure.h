/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of [DiG19] and [sPIN17], and some of ours: their points, and what is said of them. */
#ifndef WEFT_TOOLS_SIM_NIC_FIGURE_H
#define WEFT_TOOLS_SIM_NIC_FIGURE_H

#include "sim_claim.h"
#include "sim_list.h"
#include "sim_nic_run.h"

#define SIM_NIC_POINTS 256u
#define SIM_NIC_LABEL 40

/* A study, where it stands in a figure, and what came out. */
struct sim_nic_point {
    char panel[SIM_NIC_LABEL], series[SIM_NIC_LABEL], x[SIM_NIC_LABEL];
    struct sim_nic_study study;
    struct sim_nic_finding finding;
    double gain, volume, reuses, queue; /* of figures that compare points, or go into them */
};

/* Which values of a figure are the better ones. */
#define SIM_NIC_HIGHER "Higher is better"
#define SIM_NIC_LOWER "Lower is better"

/* The axis of what is compared: 1 is as much. */
#define SIM_NIC_TIMES "times"

struct sim_nic_figure {
    const char *name, *model;
    const char *title, *x_axis, *y_axis, *better;
    /* Fills in all points of a figure with this base; how many there are. */
    size_t (*plan)(const struct sim_nic_study *base, struct sim_nic_point *points);
    /* What is drawn of a point; NAN: nothing. */
    double (*value)(const struct sim_nic_point *point);
    void (*judge)(const struct sim_nic_point *points, size_t count, struct sim_claims *claims);
    /* Before both: what follows from all findings. How many points there are then. NULL: nothing.
     */
    size_t (*finish)(struct sim_nic_point *points, size_t count);
};

extern const struct sim_list sim_nic_figures, sim_nic_core_figures, sim_nic_occupancy_figures,
    sim_nic_program_figures, sim_nic_pulp_figures, sim_nic_spin_figures, sim_nic_matching_figures;

#endif
