/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_net_plot.h"

#include <stdio.h>
#include <string.h>

#include "bench/harness/plot.h"

#define MOST_NAMES 16u

/* What stands below the panels, in the order in which points have it. */
struct names {
    const char *list[MOST_NAMES];
    size_t count;
};

static bool is_of_series(const struct sim_point *a, const struct sim_point *b)
{
    return strcmp(a->panel, b->panel) == 0 && strcmp(a->series, b->series) == 0;
}

/* A series with one point has no place on the axis: it is a level to compare others with. */
static bool is_level(const struct sim_point *point, const struct sim_point *points, size_t count)
{
    for (const struct sim_point *other = points; other < points + count; other++)
        if (other != point && is_of_series(point, other))
            return false;
    return true;
}

static size_t place_of(struct names *names, const char *name)
{
    size_t place = 0;
    while (place < names->count && strcmp(names->list[place], name) != 0)
        place++;
    if (place == names->count && names->count < MOST_NAMES)
        names->list[names->count++] = name;
    return place;
}

static void find_names(struct names *names, const struct sim_point *points, size_t count)
{
    for (const struct sim_point *point = points; point < points + count; point++)
        if (!is_level(point, points, count))
            place_of(names, point->x);
}

static void add_point(struct plot *plot, struct names *names, const struct sim_point *point,
                      bool is_a_level)
{
    struct sim_spread spread = sim_sweep_spread(point);
    const struct plot_range range = {spread.mean, spread.least, spread.most};
    if (!is_a_level) {
        plot_add_range(plot, point->panel, point->series, (double)place_of(names, point->x),
                       &range);
        return;
    }
    plot_add_range(plot, point->panel, point->series, 0, &range);
    plot_add_range(plot, point->panel, point->series, (double)(names->count - 1), &range);
}

bool sim_net_plot(const char *file, const struct sim_figure *figure,
                  const struct sim_point *points, size_t count)
{
    static struct plot plot;
    struct names names = {.count = 0};
    find_names(&names, points, count);
    plot = (struct plot){.x_axis = figure->x_axis,
                         .y_axis = "throughput",
                         .x_names = names.list,
                         .x_name_count = names.count};
    snprintf(plot.title, sizeof plot.title, "%s", figure->title);
    int used =
        snprintf(plot.note, sizeof plot.note,
                 "Higher is better: part of what the links of %u nodes could carry",
                 points->findings[0].nodes);
    if (points->seeds > 1)
        snprintf(plot.note + used, sizeof plot.note - (size_t)used,
                 "; mean, least and most of %zu permutations", points->seeds);
    for (const struct sim_point *point = points; point < points + count; point++)
        add_point(&plot, &names, point, is_level(point, points, count));
    return plot_ranges(file, &plot);
}
