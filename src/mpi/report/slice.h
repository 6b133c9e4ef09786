/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's calls of MPI as slices of its timeline, beside what the NIC does for them. */
#ifndef WEFT_MPI_REPORT_SLICE_H
#define WEFT_MPI_REPORT_SLICE_H

#include "mpi/state.h"

enum weft_mpi_slice {
#define WEFT_MPI_SLICE_ENUM(name) WEFT_MPI_SLICE_##name,
    WEFT_MPI_CALLS(WEFT_MPI_SLICE_ENUM) WEFT_MPI_SLICES
#undef WEFT_MPI_SLICE_ENUM
};

/* If a timeline is wanted: steps between the program and the calls that can wait or move data, but
 * not those that only look, which would fill the timeline. */
void weft_mpi_slice_calls(void);

/* When a call begins, or 0 without a timeline; and that it has ended. */
uint64_t weft_mpi_slice_begin(void);
void weft_mpi_slice_end(enum weft_mpi_slice call, uint64_t since);

#endif
