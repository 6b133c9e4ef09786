/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of shared memory (MPI_Win_allocate_shared), in which a process may read and write the
 * parts of all others. Each is known from the call that makes it until the one that frees it.
 */
#ifndef WEFT_MPI_STAGED_SHARED_H
#define WEFT_MPI_STAGED_SHARED_H

#include "mpi/state.h"

/* The memory of one process, as this one has it mapped. */
struct weft_mpi_part {
    char *base;
    size_t size;
    int64_t unit; /* bytes, of which displacements are multiples */
};

/* How many there are. */
extern atomic_uint weft_mpi_shared_windows;

/* Whether the window is one of them. The part is that of a rank; empty if there is no such rank.
 */
bool weft_mpi_shared_find(MPI_Win win, int rank, struct weft_mpi_part *part);
/* Before it is freed: another may have its handle next. */
void weft_mpi_shared_forget(MPI_Win win);

#endif
