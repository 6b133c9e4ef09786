/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws what simulations have found: panels with lines over places that have names. */
#ifndef WEFT_TOOLS_SIM_PLOT_H
#define WEFT_TOOLS_SIM_PLOT_H

#include "bench/harness/plot.h"

struct sim_plot_text {
    const char *title, *x_axis, *y_axis, *note;
    bool is_relative;         /* what is drawn is 1 where it is as good as something else */
    const char *const *known; /* series that look the same in all figures; NULL: there are none */
};

struct sim_plot_point {
    const char *panel, *series, *x;
    struct plot_range range;
};

/* False, having said why. */
bool sim_plot(const char *file, const struct sim_plot_text *text,
              const struct sim_plot_point *points, size_t count);

#endif
