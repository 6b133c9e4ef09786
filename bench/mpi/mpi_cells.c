/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/mpi/mpi_cells.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const mpi_part_names[MPI_PARTS] = {"layouts", "programs", "small", "contiguous",
                                               "exchange"};

const char *const mpi_part_help[MPI_PARTS] = {
    "vectors, lists and others at 64 KiB, 1 MiB and 4 MiB",
    "the layouts of ddtbench, as large as they are there",
    "messages of up to 4 KiB",
    "contiguous messages of up to 4 MiB",
    "both ways at once: faces of cubes, columns, particles",
};

static const char *const layouts[] = {
    "vec4",   "vec8",      "vec16",   "vec32",   "vec64", "vec128", "vec256",
    "vec512", "vec1024",   "vec2048", "vec4096", "ib8s",  "ib8r",   "ib24r",
    "ib64r",  "hidx8-256", "milc768", "wrf_x",   "wrf_y", "fft2d",
};
static const char *const quick_layouts[] = {"vec8", "vec512", "ib8r", "hidx8-256"};
static const size_t layout_sizes[] = {65536, 1 << 20, 4 << 20};

/* The receiver is the same unless there is another. */
static const struct program {
    const char *send, *receive;
} programs[] = {
    {"wrf_x_32x65x52_vec", NULL},
    {"wrf_x_32x65x52_sa", NULL},
    {"wrf_x_19x65x24_vec", NULL},
    {"wrf_y_32x65x52_vec", NULL},
    {"wrf_y_32x65x52_sa", NULL},
    {"wrf_y_19x65x24_vec", NULL},
    {"milc_8x8x8x8", NULL},
    {"milc_16x16x16x16", NULL},
    {"milc_16x32x32x32", NULL},
    {"lu_x_408", NULL},
    {"lu_y_102", NULL},
    {"lu_y_408", NULL},
    {"lu_y_1020", NULL},
    {"mg_x_130x66x66", NULL},
    {"mg_x_258x130x130", NULL},
    {"mg_y_130x66x66", NULL},
    {"mg_y_258x130x130", NULL},
    {"mg_z_130x66x66", NULL},
    {"mg_z_258x130x130", NULL},
    {"fft2_send_256", "fft2_recv_256"},
    {"fft2_send_512", "fft2_recv_512"},
    {"fft2_send_1024", "fft2_recv_1024"},
    {"specfem_oc_3225", NULL},
    {"specfem_oc_877", NULL},
    {"specfem_cm_11797", NULL},
    {"specfem_cm_1957", NULL},
    {"specfem_mt_7600", "contiguous"},
    {"specfem_mt_4k_64", "contiguous"},
    {"lammps_full_3062", "lammps_full_3062_recv"},
    {"lammps_atomic_243", "lammps_atomic_243_recv"},
};
static const struct program quick_programs[] = {{"fft2_send_256", "fft2_recv_256"},
                                                {"specfem_mt_7600", "contiguous"},
                                                {"lammps_full_1662", "lammps_full_1662_recv"}};

/* A layout and how many bytes of it; 0: one element. */
struct sized {
    const char *layout;
    size_t target;
};

static const struct sized small[] = {
    {"vec8", 64},    {"ib8r", 64},     {"vec8", 256},    {"vec64", 256}, {"ib8r", 256},
    {"vec8", 1024},  {"vec64", 1024},  {"vec512", 1024}, {"ib8r", 1024}, {"vec8", 4096},
    {"vec64", 4096}, {"vec512", 4096}, {"ib8r", 4096},
};
static const size_t contiguous_sizes[] = {8, 256, 4096, 65536, 1 << 20, 4 << 20};

/* Faces of cubes, columns of a matrix, sites and particles of programs. */
static const struct sized exchanged[] = {
    {"halo_x_32", 0},        {"halo_x_64", 0},       {"halo_x_128", 0},
    {"halo_x_192", 0},       {"halo_y_32", 0},       {"halo_y_64", 0},
    {"halo_y_128", 0},       {"halo_y_192", 0},      {"halo_z_32", 0},
    {"halo_z_64", 0},        {"halo_z_128", 0},      {"halo_z_192", 0},
    {"vec8", 8192},          {"vec8", 65536},        {"vec512", 65536},
    {"milc_8x8x8x8", 0},     {"specfem_oc_877", 0},  {"lammps_atomic_114", 0},
    {"lammps_full_1662", 0}, {"specfem_cm_1957", 0},
};
static const size_t quick_exchanged = 4;

/* ---- Choosing ----------------------------------------------------------------------------- */

struct list {
    struct mpi_cell *cells;
    size_t count;
};

static void add(struct list *list, enum mpi_part part, const char *send, const char *receive,
                size_t target)
{
    if (list->count < MPI_MOST_CELLS)
        list->cells[list->count++] = (struct mpi_cell){
            .part = part, .send = send, .receive = receive ? receive : send, .target = target};
}

static void add_at_sizes(struct list *list, enum mpi_part part, const char *const *names,
                         size_t count, const size_t *sizes, size_t size_count)
{
    for (size_t s = 0; s < size_count; s++)
        for (size_t i = 0; i < count; i++)
            add(list, part, names[i], NULL, sizes[s]);
}

static void add_sized(struct list *list, enum mpi_part part, const struct sized *cells,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(list, part, cells[i].layout, NULL, cells[i].target);
}

static void add_layouts(struct list *list, const struct mpi_choice *choice)
{
    const size_t *sizes = choice->layouts.size_count ? choice->layouts.sizes : layout_sizes;
    size_t count = choice->layouts.size_count ? choice->layouts.size_count
                   : choice->quick            ? 1
                                              : COUNT(layout_sizes);
    if (choice->quick)
        add_at_sizes(list, MPI_PART_LAYOUTS, quick_layouts, COUNT(quick_layouts), sizes, count);
    else
        add_at_sizes(list, MPI_PART_LAYOUTS, layouts, COUNT(layouts), sizes, count);
}

static void add_programs(struct list *list, const struct mpi_choice *choice)
{
    const struct program *all = choice->quick ? quick_programs : programs;
    size_t count = choice->quick ? COUNT(quick_programs) : COUNT(programs);
    for (size_t i = 0; i < count; i++)
        add(list, MPI_PART_PROGRAMS, all[i].send, all[i].receive, 0);
}

static void add_own(struct list *list, const struct mpi_choice *choice)
{
    static const size_t one_element[] = {0};
    const size_t *sizes = choice->layouts.size_count ? choice->layouts.sizes : one_element;
    size_t count = choice->layouts.size_count ? choice->layouts.size_count : 1;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < choice->layouts.pair_count; i++)
            add(list, count > 1 || sizes[0] ? MPI_PART_LAYOUTS : MPI_PART_PROGRAMS,
                choice->layouts.pairs[i].send, choice->layouts.pairs[i].receive, sizes[s]);
}

size_t mpi_cells_choose(const struct mpi_choice *choice, struct mpi_cell *cells)
{
    static const char *const contiguous[] = {"contiguous"};
    struct list list = {cells, 0};
    if (choice->layouts.pair_count > 0) {
        add_own(&list, choice);
        return list.count;
    }
    if (choice->parts[MPI_PART_LAYOUTS])
        add_layouts(&list, choice);
    if (choice->parts[MPI_PART_PROGRAMS])
        add_programs(&list, choice);
    if (choice->parts[MPI_PART_SMALL])
        add_sized(&list, MPI_PART_SMALL, small, COUNT(small));
    if (choice->parts[MPI_PART_CONTIGUOUS])
        add_at_sizes(&list, MPI_PART_CONTIGUOUS, contiguous, 1, contiguous_sizes,
                     COUNT(contiguous_sizes));
    if (choice->parts[MPI_PART_EXCHANGE])
        add_sized(&list, MPI_PART_EXCHANGE, exchanged,
                  choice->quick ? quick_exchanged : COUNT(exchanged));
    return list.count;
}

/* ---- Turns -------------------------------------------------------------------------------- */

enum mpi_course mpi_part_first_course(enum mpi_part part)
{
    return part == MPI_PART_EXCHANGE ? MPI_EXCHANGE : MPI_ONE_WAY;
}

enum mpi_course mpi_part_end_of_courses(enum mpi_part part)
{
    return part == MPI_PART_EXCHANGE ? MPI_COURSES : MPI_EXCHANGE;
}

bool mpi_cell_has(const struct mpi_cell *cell, enum mpi_sender sender)
{
    bool is_contiguous = strcmp(cell->send, "contiguous") == 0;
    return !is_contiguous || (sender != MPI_BY_HAND && sender != MPI_AS_BYTES);
}

struct mpi_turn mpi_cell_turn(const struct mpi_cell *cell, enum mpi_sender sender,
                              enum mpi_course course)
{
    enum mpi_way way = sender == MPI_BY_HAND    ? MPI_WAY_HAND
                       : sender == MPI_AS_BYTES ? MPI_WAY_CONTIGUOUS
                                                : MPI_WAY_DERIVED;
    bool is_contiguous = strcmp(cell->send, "contiguous") == 0;
    return (struct mpi_turn){.send = cell->send,
                             .receive = cell->receive,
                             .bytes = cell->target,
                             .way = is_contiguous ? MPI_WAY_CONTIGUOUS : way,
                             .course = course};
}

/* ---- What is said of a cell --------------------------------------------------------------- */

void mpi_cell_name(const struct mpi_cell *cell, char *text, size_t size)
{
    if (strcmp(cell->send, cell->receive) == 0)
        snprintf(text, size, "%s", cell->send);
    else if (strcmp(cell->receive, "contiguous") == 0)
        snprintf(text, size, "%s > bytes", cell->send);
    else
        snprintf(text, size, "%s > ..", cell->send);
}

double mpi_cell_noise(const struct mpi_cell *cell, enum mpi_course course)
{
    double first = cell->to_weft[course][MPI_BY_TYPE], again = cell->to_weft[course][MPI_AGAIN];
    return first <= 0 || again <= 0 ? 1 : first > again ? first / again : again / first;
}
