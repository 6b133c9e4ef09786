/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/mpi/mpi_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/harness/mean.h"
#include "bench/harness/plot.h"

static const char *const labels[] = {[MPI_BY_TYPE] = "MPI's types", [MPI_BY_HAND] = "by hand"};
#define COMPARED (sizeof(labels) / sizeof(*labels))

/* An MPI over a network. */
struct rivals {
    char name[PLOT_TEXT];
    struct mean means[COMPARED];
};

static struct rivals all[BENCH_MOST_FROM];
static size_t all_count;
static struct plot lines = {
    .note = "Higher is better; 1: as long as under weft run. Vectors of blocks as far apart as "
            "they are long.",
    .x_axis = "bytes of a block",
    .y_axis = "time without Weft / with it",
};

/* ---- Contents ----------------------------------------------------------------------------- */

static struct rivals *find_rivals(const char *name)
{
    for (size_t i = 0; i < all_count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    if (all_count == BENCH_MOST_FROM)
        return NULL;
    struct rivals *rivals = &all[all_count++];
    snprintf(rivals->name, sizeof(rivals->name), "%s", name);
    return rivals;
}

/* How many times as long as under Weft a layout takes, in messages of a size. */
static void add(const char *name, const char *size, const char *layout, const double *ratios)
{
    struct rivals *rivals = find_rivals(name);
    double block = plot_block(layout);
    for (size_t i = 0; rivals && i < COMPARED; i++) {
        if (ratios[i] <= 0)
            continue;
        mean_add(&rivals->means[i], ratios[i], layout);
        if (block > 0)
            plot_add_point(&lines, size, labels[i], block, ratios[i]);
    }
}

void mpi_picture_add(const struct mpi_plan *plan, const struct mpi_cell *cells, size_t count)
{
    char name[PLOT_TEXT], size[PLOT_TEXT];
    snprintf(name, sizeof(name), "%s over %s", mpi_kind_titles[plan->kind],
             mpi_network_titles[plan->network]);
    for (size_t i = 0; i < count; i++) {
        plot_name_bytes((double)cells[i].target, size, sizeof(size));
        if (cells[i].part == MPI_PART_LAYOUTS)
            add(name, size, cells[i].send, cells[i].to_weft[MPI_ONE_WAY]);
    }
}

/* ---- Stored tables ------------------------------------------------------------------------ */

/* Of mpi_report_cell. A row whose layout has a > in it does not match: it is of no size. */
void mpi_picture_take_line(const char *line)
{
    static struct heading {
        char name[PLOT_TEXT], size[PLOT_TEXT];
    } heading;
    struct heading found;
    char layout[PLOT_TEXT];
    double ratios[COMPARED];
    int parts = sscanf(line, "# %63[^:\n]: layouts, %63[^\n]", found.name, found.size);
    if (parts == 2)
        heading = found;
    else if (parts == 1 && strchr(line, ':'))
        heading.size[0] = '\0'; /* the table of another part */
    bool is_row = sscanf(line, "%63s %*f %*f %*f %*f %*f %lf %lf", layout, &ratios[MPI_BY_TYPE],
                         &ratios[MPI_BY_HAND]) == 3;
    if (is_row && heading.size[0])
        add(heading.name, heading.size, layout, ratios);
}

/* ---- Drawing ------------------------------------------------------------------------------ */

static bool draw_means(const char *file)
{
    static struct plot bars = {.note = "Shorter is better. Means over all layouts, one way, data "
                                       "just written.",
                               .x_axis = "time / time under weft run"};
    static const char *const names[] = {
        [MPI_BY_TYPE] = "MPI's own datatypes", [MPI_BY_HAND] = "packed by hand"};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < all_count; i++) {
        for (size_t j = 0; j < COMPARED; j++) {
            double mean = mean_value(&all[i].means[j]);
            if (mean <= 0)
                continue;
            plot_add_bar(&bars, all[i].name, names[j], PLOT_OTHERS, mean);
            least = fmin(least, mean);
            most = fmax(most, mean);
        }
        plot_add_bar(&bars, all[i].name, "with Weft", PLOT_OURS, 1);
    }
    snprintf(bars.title, sizeof(bars.title),
             "Without Weft a message takes %.1f to %.1f times as long", least, most);
    return plot_bars(file, &bars);
}

bool mpi_picture_draw(const char *file)
{
    if (all_count > 1)
        return draw_means(file);
    snprintf(lines.title, sizeof(lines.title),
             "%s: how many times as long a message takes without Weft", all[0].name);
    return plot_lines(file, &lines);
}
