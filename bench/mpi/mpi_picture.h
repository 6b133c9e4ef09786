/* SPDX-License-Identifier: BSD-3-Clause */
/* The pictures of `weft bench mpi`: of one MPI, gains by the length of blocks; of several, means
 * over all layouts and sizes. */
#ifndef WEFT_BENCH_MPI_MPI_PICTURE_H
#define WEFT_BENCH_MPI_MPI_PICTURE_H

#include <stdbool.h>

#include "bench/mpi/mpi_cells.h"

/* What has been measured. */
void mpi_picture_add(const struct mpi_plan *plan, const struct mpi_cell *cells, size_t count);

/* A line that an earlier run has printed. */
void mpi_picture_take_line(const char *line);

/* Draws what was added; false, having said why, if that cannot be done. */
bool mpi_picture_draw(const char *file);

#endif
