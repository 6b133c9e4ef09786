/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_plot.h"

#include <stdio.h>
#include <string.h>

#define MOST_NAMES 16u

/* What stands below the panels, in the order in which points have it. */
struct names {
    const char *list[MOST_NAMES];
    size_t count;
};

static bool is_of_series(const struct sim_plot_point *a, const struct sim_plot_point *b)
{
    return strcmp(a->panel, b->panel) == 0 && strcmp(a->series, b->series) == 0;
}

/* A series with one point has no place on the axis: it is a level to compare others with. */
static bool is_level(const struct sim_plot_point *point, const struct sim_plot_point *points,
                     size_t count)
{
    for (const struct sim_plot_point *other = points; other < points + count; other++)
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

static void find_names(struct names *names, const struct sim_plot_point *points, size_t count)
{
    for (const struct sim_plot_point *point = points; point < points + count; point++)
        if (!is_level(point, points, count))
            place_of(names, point->x);
}

static void add_point(struct plot *plot, struct names *names, const struct sim_plot_point *point,
                      bool is_a_level)
{
    if (!is_a_level) {
        plot_add_range(plot, point->panel, point->series, (double)place_of(names, point->x),
                       &point->range);
        return;
    }
    plot_add_range(plot, point->panel, point->series, 0, &point->range);
    plot_add_range(plot, point->panel, point->series, (double)(names->count - 1), &point->range);
}

bool sim_plot(const char *file, const struct sim_plot_text *text,
              const struct sim_plot_point *points, size_t count)
{
    static struct plot plot;
    struct names names = {.count = 0};
    find_names(&names, points, count);
    plot = (struct plot){.x_axis = text->x_axis,
                         .y_axis = text->y_axis,
                         .x_names = names.list,
                         .x_name_count = names.count,
                         .is_relative = text->is_relative,
                         .known = text->known};
    snprintf(plot.title, sizeof plot.title, "%s", text->title);
    snprintf(plot.note, sizeof plot.note, "%s", text->note);
    for (const struct sim_plot_point *point = points; point < points + count; point++)
        add_point(&plot, &names, point, is_level(point, points, count));
    return plot_ranges(file, &plot);
}
