/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots, drawn by gnuplot. */
#ifndef WEFT_TOOLS_PLOT_H
#define WEFT_TOOLS_PLOT_H

#include <stdbool.h>
#include <stddef.h>

struct plot_bar {
    const char *label;
    double value;
};

/* Bars, and a line at 1, to an SVG file; false, having said why, if that cannot be done. */
bool plot_bars(const char *file, const char *title, const char *axis, const struct plot_bar *bars,
               size_t count);

#endif
