/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/type/type_report.h"

#include <stdio.h>

#include "bench/harness/mean.h"
#include "bench/harness/median.h"
#include "bench/harness/table.h"
#include "weft/json.h"

static double middle(const struct type_cell *cell, size_t member)
{
    double values[TYPE_PROGRAMS];
    size_t count = 0;
    for (size_t i = 0; i < TYPE_PROGRAMS; i++) {
        values[count] = *(const double *)((const char *)&cell->of[i] + member);
        count += values[count] > 0;
    }
    return count ? median_of(values, count) : 0;
}

#define MIDDLE(cell, name) middle(cell, offsetof(struct type_figures, name))

static double to_best(const struct type_cell *cell)
{
    double worst = MIDDLE(cell, weft_to_hand);
    for (size_t i = 0; i < TYPE_PROGRAMS; i++)
        if (cell->of[i].weft_to_mpi > worst)
            worst = cell->of[i].weft_to_mpi;
    return worst;
}

static double mean_of(const struct type_cell *cells, size_t count, unsigned size, unsigned cache,
                      enum type_program program)
{
    struct mean mean = {0};
    for (size_t i = 0; i < count; i++) {
        const struct type_cell *cell = &cells[i];
        if (!cell->skipped && cell->size == size && cell->cache == cache)
            mean_add(&mean,
                     program == TYPE_NO_MPI ? MIDDLE(cell, weft_to_hand)
                                            : cell->of[program].weft_to_mpi,
                     cell);
    }
    return mean.count ? 1 / mean_value(&mean) : 0;
}

/* ---- For people --------------------------------------------------------------------------- */

void type_cell_print_heading(unsigned size, unsigned cache)
{
    static const char *const titles[] = {"ranges of 2 KiB", "64 KiB", "4 MiB"};
    printf("\n%s, %s cache: GB/s, and the time Weft takes relative to the others\n\n",
           titles[size], type_caches[cache]);
    printf("%-25s %-6s %9s %7s %7s %7s %7s %7s  %6s %6s %6s %6s\n", "layout", "", "bytes",
           "memcpy", "hand", "Weft", "OpenMPI", "MPICH", "/hand", "/OMPI", "/MPICH", "/best");
}

static void print_speed(double bytes, double time)
{
    table_print(7, 2, time > 0 ? bytes / time : 0);
}

static void print_ratio(double ratio)
{
    table_print(6, 2, ratio);
}

void type_cell_print(const struct type_cell *cell)
{
    double bytes = MIDDLE(cell, bytes);
    printf("%-25s %-6s %9.0f", cell->layout, type_directions[cell->direction], bytes);
    print_speed(bytes, MIDDLE(cell, memcpy));
    print_speed(bytes, MIDDLE(cell, hand));
    print_speed(bytes, MIDDLE(cell, weft));
    print_speed(bytes, cell->of[TYPE_OPENMPI].mpi);
    print_speed(bytes, cell->of[TYPE_MPICH].mpi);
    printf(" ");
    print_ratio(MIDDLE(cell, weft_to_hand));
    print_ratio(cell->of[TYPE_OPENMPI].weft_to_mpi);
    print_ratio(cell->of[TYPE_MPICH].weft_to_mpi);
    print_ratio(to_best(cell));
    printf("%s\n", to_best(cell) > TYPE_BAR_TO_BEST ? " *" : "");
}

static const char *const compared[TYPE_PROGRAMS] = {
    [TYPE_OPENMPI] = "Open MPI",
    [TYPE_MPICH] = "MPICH",
    [TYPE_NO_MPI] = "the hand loops",
};

/* Tells of each mean that there is. */
static void for_each_mean(const struct type_cell *cells, size_t count,
                          void (*tell)(const char *size, const char *cache, const char *as,
                                       double mean))
{
    for (unsigned cache = 0; cache < TYPE_CACHES; cache++)
        for (unsigned size = 0; size < TYPE_SIZES; size++)
            for (unsigned i = 0; i < TYPE_PROGRAMS; i++) {
                double mean = mean_of(cells, count, size, cache, (enum type_program)i);
                if (mean > 0)
                    tell(type_sizes[size], type_caches[cache], compared[i], mean);
            }
}

static void print_mean(const char *size, const char *cache, const char *as, double mean)
{
    printf("%4s %s: %5.2f times as fast as %s\n", size, cache, mean, as);
}

void type_cells_print_means(const struct type_cell *cells, size_t count)
{
    printf("\nGeometric means over the layouts: how many times as fast Weft is\n\n");
    for_each_mean(cells, count, print_mean);
}

/* ---- For programs ------------------------------------------------------------------------- */

static void json_figures(const char *name, const struct type_figures *figures)
{
    if (figures->weft <= 0)
        return;
    weft_json_open(name, '{');
#define FIGURE(member)                                                                            \
    if (figures->member > 0)                                                                      \
        weft_json_number(#member, figures->member);
    TYPE_FIGURE_MAP(FIGURE)
#undef FIGURE
    weft_json_string("way", figures->way);
    weft_json_close('}');
}

static void json_cell(const struct type_cell *cell)
{
    weft_json_open(NULL, '{');
    weft_json_string("layout", cell->layout);
    weft_json_string("size", type_sizes[cell->size]);
    weft_json_string("direction", type_directions[cell->direction]);
    weft_json_string("cache", type_caches[cell->cache]);
    weft_json_bool("again", cell->again);
    weft_json_number("to_best", to_best(cell));
    for (unsigned i = 0; i < TYPE_PROGRAMS; i++)
        json_figures(type_program_names[i], &cell->of[i]);
    weft_json_close('}');
}

static void json_mean(const char *size, const char *cache, const char *as, double mean)
{
    weft_json_open(NULL, '{');
    weft_json_string("size", size);
    weft_json_string("cache", cache);
    weft_json_string("as", as);
    weft_json_number("mean", mean);
    weft_json_close('}');
}

void type_cells_print_json(const struct type_cell *cells, size_t count)
{
    weft_json_open("cells", '[');
    for (size_t i = 0; i < count; i++)
        if (!cells[i].skipped)
            json_cell(&cells[i]);
    weft_json_close(']');
    weft_json_open("times_as_fast", '[');
    for_each_mean(cells, count, json_mean);
    weft_json_close(']');
}

/* ---- The bars ----------------------------------------------------------------------------- */

static bool is_slow(const struct type_cell *cell)
{
    return !cell->skipped && cell->cache == 0 && to_best(cell) > TYPE_BAR_TO_BEST;
}

static bool searches_long(const struct type_cell *cell)
{
    return !cell->skipped && cell->cache == 0 && MIDDLE(cell, block) >= TYPE_BAR_LOCATE_BLOCK &&
           MIDDLE(cell, locating) * 100 > TYPE_BAR_LOCATE;
}

bool type_cell_misses(const struct type_cell *cell)
{
    return is_slow(cell) || searches_long(cell);
}

void type_cell_look(const struct type_cell *cell, struct bar_list *missed)
{
    const char *size = type_sizes[cell->size], *direction = type_directions[cell->direction];
    if (is_slow(cell))
        bar_sentence(missed, "%s %s %s: takes %.2f times as long as the best; the bar is %.2f",
                     cell->layout, size, direction, to_best(cell), TYPE_BAR_TO_BEST);
    else if (searches_long(cell))
        bar_sentence(missed,
                     "%s %s %s: finding the place takes %.0f %% of the time; the bar is %d %%",
                     cell->layout, size, direction, MIDDLE(cell, locating) * 100, TYPE_BAR_LOCATE);
}

void type_cells_look_at_mean(const struct type_cell *cells, size_t count,
                             enum type_program program, struct bar_list *missed)
{
    double bar = program == TYPE_OPENMPI ? TYPE_BAR_OPENMPI : TYPE_BAR_MPICH;
    double mean = mean_of(cells, count, TYPE_64K, 0, program);
    if (mean >= bar)
        return;
    if (mean > 0)
        bar_sentence(missed, "64K warm: %.2f times as fast as %s in the mean; the bar is %.2f",
                     mean, compared[program], bar);
    else
        bar_sentence(missed, "64K warm: not compared with %s: weft-bench-type-%s is missing",
                     compared[program], type_program_names[program]);
}
