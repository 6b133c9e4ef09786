/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_net_plot.h"

#include <stdio.h>

#include "sim_plot.h"

/* Of several figures, as these name them. */
static const char *const known[] = {"window",    "measured",   "baseline",
                                    "FECN/BECN", "aggressive", NULL};

static struct sim_plot_point drawn(const struct sim_point *point)
{
    struct sim_spread spread = sim_sweep_spread(point);
    return (struct sim_plot_point){
        point->panel, point->series, point->x, {spread.mean, spread.least, spread.most}};
}

bool sim_net_plot(const char *file, const struct sim_figure *figure,
                  const struct sim_point *points, size_t count)
{
    struct sim_plot_point drawing[SIM_MOST_POINTS];
    char note[2 * PLOT_TEXT];
    int used = snprintf(note, sizeof note,
                        "Higher is better: part of what the links of %u nodes could carry",
                        points->findings[0].nodes);
    if (points->seeds > 1)
        snprintf(note + used, sizeof note - (size_t)used,
                 "; mean, least and most of %zu permutations", points->seeds);
    for (size_t i = 0; i < count; i++)
        drawing[i] = drawn(&points[i]);
    const struct sim_plot_text text = {figure->title, figure->x_axis, "throughput",
                                       note,          true,           known};
    return sim_plot(file, &text, drawing, count);
}
