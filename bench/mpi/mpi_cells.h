/* SPDX-License-Identifier: BSD-3-Clause */
/* What `weft bench mpi` measures: pairs of layouts at sizes, and who sends them. */
#ifndef WEFT_BENCH_MPI_MPI_CELLS_H
#define WEFT_BENCH_MPI_MPI_CELLS_H

#include "bench/harness/bench.h"
#include "bench/mpi/mpi_job.h"

enum mpi_part {
    MPI_PART_LAYOUTS,
    MPI_PART_PROGRAMS,
    MPI_PART_SMALL,
    MPI_PART_CONTIGUOUS,
    MPI_PART_EXCHANGE,
    MPI_PARTS
};

extern const char *const mpi_part_names[MPI_PARTS], *const mpi_part_help[MPI_PARTS];

/* MPI again, in processes of its own: what differs is noise. The last are Weft with a way forced,
 * in the order of mpi_forced_ways. */
enum mpi_sender {
    MPI_BY_TYPE,
    MPI_BY_HAND,
    MPI_AS_BYTES,
    MPI_BY_WEFT,
    MPI_AGAIN,
    MPI_BY_WAY,
    MPI_SENDERS = MPI_BY_WAY + MPI_FORCED_WAYS
};

struct mpi_cell {
    enum mpi_part part;
    const char *send, *receive;
    size_t target; /* bytes wanted; 0: one element */

    double bytes, block;
    bool is_measured[MPI_SENDERS];
    double times[MPI_COURSES][MPI_SENDERS][MPI_TIMES]; /* medians, microseconds */
    double to_weft[MPI_COURSES][MPI_SENDERS];          /* time / Weft's, median of all rounds */
};

#define MPI_MOST_CELLS 160

struct mpi_choice {
    bool parts[MPI_PARTS];
    struct bench_layouts layouts; /* instead of those of the parts */
    bool quick;                   /* some of them */
};

/* How many of MPI_MOST_CELLS the choice has. */
size_t mpi_cells_choose(const struct mpi_choice *choice, struct mpi_cell *cells);

/* The courses of a part are those from the first to before the end. */
enum mpi_course mpi_part_first_course(enum mpi_part part);
enum mpi_course mpi_part_end_of_courses(enum mpi_part part);

/* Whether there is such a sender in the cell, and its turn. */
bool mpi_cell_has(const struct mpi_cell *cell, enum mpi_sender sender);
struct mpi_turn mpi_cell_turn(const struct mpi_cell *cell, enum mpi_sender sender,
                              enum mpi_course course);

/* The layout, or both of them. */
void mpi_cell_name(const struct mpi_cell *cell, char *text, size_t size);
/* How many times as long MPI took the second time, or the first; 1 if that was not measured. */
double mpi_cell_noise(const struct mpi_cell *cell, enum mpi_course course);

#endif
