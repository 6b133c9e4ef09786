/* SPDX-License-Identifier: BSD-3-Clause */
/* How `weft bench mpi` tells what it measured. */
#ifndef WEFT_BENCH_MPI_MPI_REPORT_H
#define WEFT_BENCH_MPI_MPI_REPORT_H

#include "bench/mpi/mpi_cells.h"

/* With a heading if it is the first of its part and size. */
void mpi_report_cell(const struct mpi_plan *plan, const struct mpi_cell *cell,
                     const struct mpi_cell *before);

/* Means for each part and size, and what the phases took. */
void mpi_report_means(const struct mpi_cell *cells, size_t count);
void mpi_report_phases(const struct mpi_cell *cells, size_t count);

/* Members of a JSON object that is open. */
void mpi_report_json(const struct mpi_plan *plan, const struct mpi_cell *cells, size_t count);

#endif
