/* SPDX-License-Identifier: BSD-3-Clause */
/* What files with figures have in common: making points, and finding them again. */
#ifndef WEFT_TOOLS_SIM_NIC_POINTS_H
#define WEFT_TOOLS_SIM_NIC_POINTS_H

#include "sim_nic_figure.h"

#define SIM_NIC_LENGTH(array) (sizeof(array) / sizeof *(array))

/* Headers take 2 % of the link, and the first packet has a way to go. */
#define SIM_NIC_LINE_RATE 0.95

struct sim_nic_points {
    struct sim_nic_point *list;
    size_t count;
};

/* A point of the series that its way has the name of. */
__attribute__((format(printf, 4, 5))) struct sim_nic_point *
sim_nic_points_add(struct sim_nic_points *points, const struct sim_nic_study *study,
                   const char *panel, const char *x, ...);

/* One for each way, over the same values. */
struct sim_nic_lines {
    const double *values;
    size_t value_count;
    const int *ways;
    size_t way_count;
};

/* Over sizes of blocks. */
void sim_nic_points_add_blocks(struct sim_nic_points *points, const struct sim_nic_study *base,
                               const char *panel, const struct sim_nic_lines *lines);
/* Over numbers of HPUs, with blocks of 2 KiB. */
void sim_nic_points_add_hpus(struct sim_nic_points *points, const struct sim_nic_study *base,
                             const struct sim_nic_lines *lines);
void sim_nic_points_name_block(double block, char text[SIM_NIC_LABEL]);

/* The first one if there is no such point; no panel is any. */
const struct sim_nic_finding *sim_nic_points_find(const struct sim_nic_point *points, size_t count,
                                                  const char *panel, int way, const char *x);

double sim_nic_points_throughput(const struct sim_nic_point *point);

/* The smallest block from which on a way has this throughput at all sizes; 0: at none. */
double sim_nic_points_hold_from(const struct sim_nic_point *points, size_t count,
                                const char *panel, int way, double least);

#endif
