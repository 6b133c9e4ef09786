/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/mpi/mpi_bar.h"

#include <stdint.h>
#include <stdio.h>

#include "bench/harness/mean.h"

/* ---- The bars ----------------------------------------------------------------------------- */

/* No message may take longer than without Weft, beyond what MPI differs from itself. */
#define LEAST_OF_ALL 0.97

enum place { PLACE_HOST, PLACE_HEAP, PLACE_NETWORK, PLACES };

/* Geometric means of MPI's time by Weft's, of the versions of Debian 12. */
static const struct mean_bar {
    enum mpi_part part;
    enum mpi_sender sender;
    const char *what;
    double least[PLACES][MPI_KINDS]; /* 0: there is none */
} mean_bars[] = {
    {MPI_PART_LAYOUTS,
     MPI_BY_TYPE,
     "MPI / Weft",
     {[PLACE_HOST] = {2.0, 4.0}, [PLACE_HEAP] = {3.0, 6.0}, [PLACE_NETWORK] = {1.5, 3.0}}},
    {MPI_PART_LAYOUTS,
     MPI_BY_HAND,
     "by hand / Weft",
     {[PLACE_HOST] = {2.0, 2.0}, [PLACE_HEAP] = {2.0, 2.0}}},
    {MPI_PART_PROGRAMS,
     MPI_BY_TYPE,
     "MPI / Weft",
     {[PLACE_HOST] = {2.0, 4.0}, [PLACE_HEAP] = {2.0, 4.0}, [PLACE_NETWORK] = {1.5, 3.0}}},
    {MPI_PART_EXCHANGE,
     MPI_BY_TYPE,
     "MPI / Weft",
     {[PLACE_HOST] = {1.15, 2.0}, [PLACE_HEAP] = {1.6, 3.0}}},
    {MPI_PART_EXCHANGE,
     MPI_BY_HAND,
     "by hand / Weft",
     {[PLACE_HOST] = {1.3, 1.3}, [PLACE_HEAP] = {1.3, 1.3}}},
};

#define MEAN_BARS (sizeof(mean_bars) / sizeof(mean_bars[0]))

/* With shared heaps data that lies together is copied once, which MPI copies twice: and data that
 * does not, in blocks of which a copy costs no more. */
#define LEAST_OF_SHARED 2.0
#define LEAST_SHARED ((size_t)64 << 10)
#define SIZE_OF_BLOCKS ((size_t)1 << 20)
#define LEAST_BLOCK 512

static enum place place_of(const struct mpi_plan *plan)
{
    if (plan->network != MPI_NETWORK_SHM)
        return PLACE_NETWORK;
    return plan->has_heap ? PLACE_HEAP : PLACE_HOST;
}

/* ---- Looking ------------------------------------------------------------------------------ */

static void add_mean(const struct mpi_plan *plan, const struct mean_bar *bar,
                     const struct mpi_cell *cells, size_t count, struct bar_list *list)
{
    double least = bar->least[place_of(plan)][plan->kind];
    enum mpi_course course = mpi_part_first_course(bar->part);
    struct mean mean = {0};
    for (size_t i = 0; i < count; i++)
        if (cells[i].part == bar->part)
            mean_add(&mean, cells[i].to_weft[course][bar->sender], &cells[i]);
    if (least > 0)
        bar_add(list, BAR_AT_LEAST, least, mean_value(&mean), "%s, %s, mean of %s",
                mpi_kind_titles[plan->kind], mpi_part_names[bar->part], bar->what);
}

/* The least ratio that was found, and whose it is. */
struct least {
    const struct mpi_cell *cell; /* NULL: none */
    enum mpi_course course;
    double ratio;
};

static void look_at(struct least *least, const struct mpi_cell *cell, enum mpi_course course,
                    double ratio)
{
    if (ratio > 0 && (!least->cell || ratio < least->ratio))
        *least = (struct least){cell, course, ratio};
}

static void add_least(const struct mpi_plan *plan, const char *what, double limit,
                      const struct least *least, struct bar_list *list)
{
    char whose[128] = "";
    if (least->cell) {
        char name[64];
        mpi_cell_name(least->cell, name, sizeof(name));
        snprintf(whose, sizeof(whose), " (%s, %.0f bytes, %s)", name, least->cell->bytes,
                 mpi_course_titles[least->course]);
    }
    bar_add(list, BAR_AT_LEAST, limit, least->ratio, "%s, %s%s", mpi_kind_titles[plan->kind], what,
            whose);
}

/* Of the two times that MPI took the longer one by Weft's: what differs less may be noise. */
static double slower_mpi(const struct mpi_cell *cell, enum mpi_course course)
{
    double first = cell->to_weft[course][MPI_BY_TYPE], again = cell->to_weft[course][MPI_AGAIN];
    return first > again ? first : again;
}

static void add_least_of_part(const struct mpi_plan *plan, enum mpi_part part,
                              const struct mpi_cell *cells, size_t count, struct bar_list *list)
{
    struct least least = {0};
    char what[64];
    for (size_t i = 0; i < count; i++)
        for (int course = 0; cells[i].part == part && course < MPI_COURSES; course++)
            look_at(&least, &cells[i], (enum mpi_course)course,
                    slower_mpi(&cells[i], (enum mpi_course)course));
    snprintf(what, sizeof(what), "%s, least MPI / Weft beyond noise", mpi_part_names[part]);
    add_least(plan, what, LEAST_OF_ALL, &least, list);
}

static void add_shared(const struct mpi_plan *plan, const struct mpi_cell *cells, size_t count,
                       struct bar_list *list)
{
    struct least contiguous = {0}, blocks = {0};
    for (size_t i = 0; i < count; i++) {
        const struct mpi_cell *cell = &cells[i];
        if (cell->part == MPI_PART_CONTIGUOUS && cell->target >= LEAST_SHARED)
            look_at(&contiguous, cell, MPI_ONE_WAY, cell->to_weft[MPI_ONE_WAY][MPI_BY_TYPE]);
        if (cell->part == MPI_PART_LAYOUTS && cell->target == SIZE_OF_BLOCKS &&
            cell->block >= LEAST_BLOCK)
            look_at(&blocks, cell, MPI_ONE_WAY, cell->to_weft[MPI_ONE_WAY][MPI_AS_BYTES]);
    }
    add_least(plan, "64 KiB and more that lie together, least MPI / Weft", LEAST_OF_SHARED,
              &contiguous, list);
    add_least(plan, "blocks of 512 bytes and more at 1 MiB, least MPI's contiguous / Weft",
              LEAST_OF_SHARED, &blocks, list);
}

void mpi_bars_look(const struct mpi_plan *plan, const struct mpi_cell *cells, size_t count,
                   struct bar_list *list)
{
    for (size_t i = 0; i < MEAN_BARS; i++)
        add_mean(plan, &mean_bars[i], cells, count, list);
    for (int part = 0; part < MPI_PARTS; part++)
        add_least_of_part(plan, (enum mpi_part)part, cells, count, list);
    if (place_of(plan) == PLACE_HEAP)
        add_shared(plan, cells, count, list);
}
