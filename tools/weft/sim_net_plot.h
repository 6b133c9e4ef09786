/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TOOLS_SIM_NET_PLOT_H
#define WEFT_TOOLS_SIM_NET_PLOT_H

#include "sim_figure.h"

/* Draws the points of a figure into an SVG file. False, having said why. */
bool sim_net_plot(const char *file, const struct sim_figure *figure,
                  const struct sim_point *points, size_t count);

#endif
