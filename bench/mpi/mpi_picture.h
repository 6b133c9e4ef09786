/* SPDX-License-Identifier: BSD-3-Clause */
/* The pictures of `weft bench mpi`: of one MPI, gains by the length of blocks; of several, means
 * over all layouts and sizes. */
#ifndef WEFT_BENCH_MPI_MPI_PICTURE_H
#define WEFT_BENCH_MPI_MPI_PICTURE_H

#include <stdbool.h>

#include "bench/harness/bench_options.h"
#include "bench/mpi/mpi_cells.h"

/* What has been measured. */
void mpi_picture_add(const struct mpi_plan *plan, const struct mpi_cell *cells, size_t count);

/* What turns->from has instead; false, having said why, if it cannot be read. */
bool mpi_picture_read(const struct bench_turns *turns);

/* Draws what was added; false, having said why, if that cannot be done. */
bool mpi_picture_draw(const char *file);

#endif
