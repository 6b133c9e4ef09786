/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots, drawn by gnuplot: panels side by side with the same axes, and lines or bars in them. */
#ifndef WEFT_BENCH_HARNESS_PLOT_H
#define WEFT_BENCH_HARNESS_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#define PLOT_MOST_PANELS 12
#define PLOT_MOST_SERIES 12
#define PLOT_MOST_POINTS 32
#define PLOT_TEXT 64

/* Whose time or gain a bar shows. */
enum plot_role { PLOT_OURS, PLOT_OTHERS };

/* A value, and between which two it varies. */
struct plot_range {
    double value, least, most;
};

struct plot_series {
    char label[PLOT_TEXT];
    size_t count;
    double x[PLOT_MOST_POINTS], y[PLOT_MOST_POINTS];
    double least[PLOT_MOST_POINTS], most[PLOT_MOST_POINTS]; /* of y, in plots of ranges */
    enum plot_role role; /* of a bar, which has one point and no x */
};

struct plot_panel {
    char title[PLOT_TEXT];
    size_t series_count;
    struct plot_series series[PLOT_MOST_SERIES];
};

struct plot {
    char title[2 * PLOT_TEXT];
    char note[2 * PLOT_TEXT];    /* how to read it */
    const char *x_axis, *y_axis; /* bars have only the first */
    const char *const *x_names;  /* of the places of ranges: x counts them from 0 */
    size_t x_name_count;
    bool is_relative; /* ranges only: 1 is as much as what they are compared with */
    /* Labels of series, up to NULL, that have the look of their place here in every picture with
     * this list; others have that of their place in the panel. NULL: all do. */
    const char *const *known;
    size_t panel_count;
    struct plot_panel panels[PLOT_MOST_PANELS];
};

/* Panels and series are made where they are named first; what there is no room for is left out. */
void plot_add_point(struct plot *plot, const char *panel, const char *series, double x, double y);
void plot_add_range(struct plot *plot, const char *panel, const char *series, double x,
                    const struct plot_range *range);
void plot_add_bar(struct plot *plot, const char *panel, const char *label, enum plot_role role,
                  double value);

/* The x of a layout vecN, whose blocks have N bytes; 0 for other layouts, which no line over the
 * length of blocks can have. */
double plot_block(const char *layout);

/* A number of bytes as axes and labels have it, such as "64 KiB". */
void plot_name_bytes(double bytes, char *text, size_t size);

/* Whether one can be drawn into a file, before anything is measured for it; false, having said why
 * not. */
bool plot_is_possible(const char *file);

/* To an SVG file, with a line at 1; false, having said why, if that cannot be done. Lines are over
 * bytes, on logarithmic axes, and have their labels at their ends. */
bool plot_lines(const char *file, const struct plot *plot);
bool plot_bars(const char *file, const struct plot *plot);

/* The same of lines over places with names, on a linear scale from 0, or from below if there are
 * negative values, where 1 may be as good as any other number. */
bool plot_ranges(const char *file, const struct plot *plot);

#endif
