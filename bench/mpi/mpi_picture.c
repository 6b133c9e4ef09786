/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/mpi/mpi_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/harness/plot.h"
#include "bench/harness/stored.h"

static const char *const labels[] = {[MPI_BY_TYPE] = "MPI's types", [MPI_BY_HAND] = "by hand"};
#define COMPARED (sizeof(labels) / sizeof(*labels))

/* An MPI over a network. */
struct contest {
    char name[PLOT_TEXT];
    double logarithms[COMPARED];
    size_t counts[COMPARED];
};

static struct contest contests[BENCH_MOST_FROM];
static size_t contest_count;
static struct plot lines = {
    .note = "Higher is better; 1: as long as under weft run. Vectors of blocks as far apart as "
            "they are long.",
    .x_axis = "bytes of a block",
    .y_axis = "time without Weft / with it",
};

/* ---- Contents ----------------------------------------------------------------------------- */

static struct contest *find_contest(const char *name)
{
    for (size_t i = 0; i < contest_count; i++)
        if (strcmp(contests[i].name, name) == 0)
            return &contests[i];
    if (contest_count == BENCH_MOST_FROM)
        return NULL;
    struct contest *contest = &contests[contest_count++];
    snprintf(contest->name, sizeof(contest->name), "%s", name);
    return contest;
}

/* How many times as long as under Weft a layout takes, in messages of a size. */
static void add(const char *name, const char *size, const char *layout, const double *ratios)
{
    struct contest *contest = find_contest(name);
    double block = plot_block(layout);
    for (size_t i = 0; contest && i < COMPARED; i++) {
        if (ratios[i] <= 0)
            continue;
        contest->logarithms[i] += log(ratios[i]);
        contest->counts[i]++;
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

struct heading {
    char name[PLOT_TEXT], size[PLOT_TEXT];
};

/* Of mpi_report_cell. A row whose layout has a > in it does not match: it is of no size. */
static void take_line(const char *line, void *context)
{
    struct heading *heading = context;
    char layout[PLOT_TEXT];
    double ratios[COMPARED];
    struct heading found;
    int parts = sscanf(line, "# %63[^:\n]: layouts, %63[^\n]", found.name, found.size);
    if (parts == 2)
        *heading = found;
    else if (parts == 1 && strchr(line, ':'))
        heading->size[0] = '\0'; /* the table of another part */
    bool is_row = sscanf(line, "%63s %*f %*f %*f %*f %*f %lf %lf", layout, &ratios[MPI_BY_TYPE],
                         &ratios[MPI_BY_HAND]) == 3;
    if (is_row && heading->size[0])
        add(heading->name, heading->size, layout, ratios);
}

bool mpi_picture_read(const struct bench_turns *turns)
{
    struct heading heading = {.size = ""};
    return stored_read(turns, take_line, &heading);
}

/* ---- Drawing ------------------------------------------------------------------------------ */

static double mean_of(const struct contest *contest, size_t i)
{
    return contest->counts[i] ? exp(contest->logarithms[i] / (double)contest->counts[i]) : 0;
}

static bool draw_means(const char *file)
{
    static struct plot bars = {.note = "Shorter is better. Geometric means over all layouts and "
                                       "sizes, one way, data just written.",
                               .x_axis = "time / time under weft run"};
    static const char *const names[] = {
        [MPI_BY_TYPE] = "MPI's own datatypes", [MPI_BY_HAND] = "packed by hand"};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < contest_count; i++) {
        for (size_t j = 0; j < COMPARED; j++) {
            double mean = mean_of(&contests[i], j);
            if (mean <= 0)
                continue;
            plot_add_bar(&bars, contests[i].name, names[j], PLOT_OTHERS, mean);
            least = fmin(least, mean);
            most = fmax(most, mean);
        }
        plot_add_bar(&bars, contests[i].name, "with Weft", PLOT_OURS, 1);
    }
    snprintf(bars.title, sizeof(bars.title),
             "Without Weft a message takes %.1f to %.1f times as long", least, most);
    return plot_bars(file, &bars);
}

bool mpi_picture_draw(const char *file)
{
    if (contest_count > 1)
        return draw_means(file);
    snprintf(lines.title, sizeof(lines.title),
             "%s: how many times as long a message takes without Weft", contests[0].name);
    return plot_lines(file, &lines);
}
