/* SPDX-License-Identifier: BSD-3-Clause */
/* The bars of `weft bench mpi`. */
#ifndef WEFT_BENCH_MPI_MPI_BAR_H
#define WEFT_BENCH_MPI_MPI_BAR_H

#include "bench/harness/bar.h"
#include "bench/mpi/mpi_cells.h"

/* Those of an MPI within a host, with or without shared heaps, or between hosts. */
void mpi_bars_look(const struct mpi_plan *plan, const struct mpi_cell *cells, size_t count,
                   struct bar_list *list);

#endif
