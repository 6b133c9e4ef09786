/* SPDX-License-Identifier: BSD-3-Clause */
/* Any number of bytes as arguments of MPI, whose counts are ints. */
#ifndef WEFT_MPI_LAYOUT_BYTES_H
#define WEFT_MPI_LAYOUT_BYTES_H

#include "mpi/state.h"

struct weft_mpi_bytes {
    int count;
    MPI_Datatype type;
    bool is_own; /* the type was made for this */
};

/* A class of MPI's errors; to be closed on success. MPI keeps what it uses. */
int weft_mpi_bytes_open(size_t size, struct weft_mpi_bytes *bytes);
void weft_mpi_bytes_close(struct weft_mpi_bytes *bytes);

#endif
