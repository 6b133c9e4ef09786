/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cells of `weft bench type` say, for people and for programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/harness/bench.h"
#include "weft/json.h"

const char *const weft_cell_sizes[] = {"2K", "64K", "4M"};
const char *const weft_cell_directions[] = {"pack", "unpack"};
const char *const weft_cell_caches[] = {"warm", "cold"};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double weft_cell_middle(const struct weft_cell *cell, size_t member)
{
    double values[WEFT_RUNNERS];
    size_t count = 0;
    for (size_t i = 0; i < WEFT_RUNNERS; i++) {
        values[count] = *(const double *)((const char *)&cell->of[i] + member);
        count += values[count] > 0;
    }
    if (count == 0)
        return 0;
    qsort(values, count, sizeof(*values), compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

#define MIDDLE(cell, name) weft_cell_middle(cell, offsetof(struct weft_figures, name))

double weft_cell_to_best(const struct weft_cell *cell)
{
    double worst = MIDDLE(cell, weft_to_hand);
    for (size_t i = 0; i < WEFT_RUNNERS; i++)
        if (cell->of[i].weft_to_mpi > worst)
            worst = cell->of[i].weft_to_mpi;
    return worst;
}

double weft_cells_mean(const struct weft_cell *cells, size_t count, unsigned size, unsigned cache,
                       enum weft_runner_kind runner)
{
    double sum = 0;
    size_t summed = 0;
    for (size_t i = 0; i < count; i++) {
        const struct weft_cell *cell = &cells[i];
        double ratio =
            runner == WEFT_RUNNER_NONE ? MIDDLE(cell, weft_to_hand) : cell->of[runner].weft_to_mpi;
        if (cell->skipped || cell->size != size || cell->cache != cache || ratio <= 0)
            continue;
        sum += log(ratio);
        summed++;
    }
    return summed ? exp(-sum / (double)summed) : 0;
}

/* ---- For people --------------------------------------------------------------------------- */

void weft_cell_print_heading(unsigned size, unsigned cache)
{
    static const char *const titles[] = {"ranges of 2 KiB", "64 KiB", "4 MiB"};
    printf("\n%s, %s cache: GB/s, and the time Weft takes relative to the others\n\n",
           titles[size], weft_cell_caches[cache]);
    printf("%-25s %-6s %9s %7s %7s %7s %7s %7s  %6s %6s %6s %6s\n", "layout", "", "bytes",
           "memcpy", "hand", "Weft", "OpenMPI", "MPICH", "/hand", "/OMPI", "/MPICH", "/best");
}

static void print_speed(double bytes, double time)
{
    if (time > 0)
        printf(" %7.2f", bytes / time);
    else
        printf(" %7s", "-");
}

static void print_ratio(double ratio)
{
    if (ratio > 0)
        printf(" %6.2f", ratio);
    else
        printf(" %6s", "-");
}

void weft_cell_print(const struct weft_cell *cell)
{
    double bytes = MIDDLE(cell, bytes);
    printf("%-25s %-6s %9.0f", cell->layout, weft_cell_directions[cell->direction], bytes);
    print_speed(bytes, MIDDLE(cell, memcpy));
    print_speed(bytes, MIDDLE(cell, hand));
    print_speed(bytes, MIDDLE(cell, weft));
    print_speed(bytes, cell->of[WEFT_RUNNER_OPENMPI].mpi);
    print_speed(bytes, cell->of[WEFT_RUNNER_MPICH].mpi);
    printf(" ");
    print_ratio(MIDDLE(cell, weft_to_hand));
    print_ratio(cell->of[WEFT_RUNNER_OPENMPI].weft_to_mpi);
    print_ratio(cell->of[WEFT_RUNNER_MPICH].weft_to_mpi);
    print_ratio(weft_cell_to_best(cell));
    printf("%s\n", weft_cell_to_best(cell) > WEFT_BAR_TO_BEST ? " *" : "");
    fflush(stdout);
}

static const char *const compared[WEFT_RUNNERS] = {
    [WEFT_RUNNER_OPENMPI] = "Open MPI",
    [WEFT_RUNNER_MPICH] = "MPICH",
    [WEFT_RUNNER_NONE] = "the hand loops",
};

void weft_cells_print_means(const struct weft_cell *cells, size_t count)
{
    printf("\nGeometric means over the layouts: how many times as fast Weft is\n\n");
    for (unsigned cache = 0; cache < 2; cache++)
        for (unsigned size = 0; size < WEFT_CELL_SIZES; size++)
            for (unsigned i = 0; i < WEFT_RUNNERS; i++) {
                double mean = weft_cells_mean(cells, count, size, cache, (enum weft_runner_kind)i);
                if (mean > 0)
                    printf("%4s %s: %5.2f times as fast as %s\n", weft_cell_sizes[size],
                           weft_cell_caches[cache], mean, compared[i]);
            }
}

/* ---- For programs ------------------------------------------------------------------------- */

static void json_figures(const char *name, const struct weft_figures *figures)
{
    if (figures->weft <= 0)
        return;
    weft_json_open(name, '{');
#define FIGURE(member)                                                                            \
    if (figures->member > 0)                                                                      \
        weft_json_number(#member, figures->member);
    WEFT_FIGURE_MAP(FIGURE)
#undef FIGURE
    weft_json_string("way", figures->way);
    weft_json_close('}');
}

static void json_cell(const struct weft_cell *cell)
{
    weft_json_open(NULL, '{');
    weft_json_string("layout", cell->layout);
    weft_json_string("size", weft_cell_sizes[cell->size]);
    weft_json_string("direction", weft_cell_directions[cell->direction]);
    weft_json_string("cache", weft_cell_caches[cell->cache]);
    weft_json_bool("again", cell->again);
    weft_json_number("to_best", weft_cell_to_best(cell));
    for (unsigned i = 0; i < WEFT_RUNNERS; i++)
        json_figures(weft_runner_name((enum weft_runner_kind)i), &cell->of[i]);
    weft_json_close('}');
}

static void json_means(const struct weft_cell *cells, size_t count)
{
    weft_json_open("times_as_fast", '[');
    for (unsigned cache = 0; cache < 2; cache++)
        for (unsigned size = 0; size < WEFT_CELL_SIZES; size++)
            for (unsigned i = 0; i < WEFT_RUNNERS; i++) {
                double mean = weft_cells_mean(cells, count, size, cache, (enum weft_runner_kind)i);
                if (mean <= 0)
                    continue;
                weft_json_open(NULL, '{');
                weft_json_string("size", weft_cell_sizes[size]);
                weft_json_string("cache", weft_cell_caches[cache]);
                weft_json_string("as", compared[i]);
                weft_json_number("mean", mean);
                weft_json_close('}');
            }
    weft_json_close(']');
}

void weft_cells_print_json(const struct weft_cell *cells, size_t count)
{
    weft_json_open(NULL, '{');
    weft_json_open("cells", '[');
    for (size_t i = 0; i < count; i++)
        if (!cells[i].skipped)
            json_cell(&cells[i]);
    weft_json_close(']');
    json_means(cells, count);
}

/* ---- The bars ----------------------------------------------------------------------------- */

bool weft_cell_misses(const struct weft_cell *cell, char *text, size_t size)
{
    if (cell->skipped || cell->cache != 0)
        return false;
    int used = snprintf(text, size, "%s %s %s: ", cell->layout, weft_cell_sizes[cell->size],
                        weft_cell_directions[cell->direction]);
    if (weft_cell_to_best(cell) > WEFT_BAR_TO_BEST) {
        snprintf(text + used, size - (size_t)used,
                 "takes %.2f times as long as the best; the bar is %.2f", weft_cell_to_best(cell),
                 WEFT_BAR_TO_BEST);
        return true;
    }
    if (MIDDLE(cell, block) >= WEFT_BAR_LOCATE_BLOCK && MIDDLE(cell, locating) > WEFT_BAR_LOCATE) {
        snprintf(text + used, size - (size_t)used,
                 "finding the place takes %.0f %% of the time; the bar is %.0f %%",
                 MIDDLE(cell, locating) * 100, WEFT_BAR_LOCATE * 100);
        return true;
    }
    return false;
}

bool weft_cells_miss_mean(const struct weft_cell *cells, size_t count,
                          enum weft_runner_kind runner, char *text, size_t size)
{
    double bar = runner == WEFT_RUNNER_OPENMPI ? WEFT_BAR_OPENMPI : WEFT_BAR_MPICH;
    double mean = weft_cells_mean(cells, count, WEFT_CELL_64K, 0, runner);
    if (mean >= bar)
        return false;
    if (mean > 0)
        snprintf(text, size, "64K warm: %.2f times as fast as %s in the mean; the bar is %.2f",
                 mean, compared[runner], bar);
    else
        snprintf(text, size, "64K warm: not compared with %s: weft-bench-type-%s is missing",
                 compared[runner], weft_runner_name(runner));
    return true;
}
