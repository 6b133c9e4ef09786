/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls by which MPI itself moves non-contiguous data, as the program makes them. */
#ifndef WEFT_MPI_REPORT_NATIVE_H
#define WEFT_MPI_REPORT_NATIVE_H

#include "mpi/report/counter.h"

enum weft_mpi_native {
#define WEFT_MPI_NATIVE_ENUM(name) WEFT_MPI_NATIVE_##name,
    WEFT_MPI_CALLS_COUNTED(WEFT_MPI_NATIVE_ENUM) WEFT_MPI_NATIVES
#undef WEFT_MPI_NATIVE_ENUM
};

/* What this process handed to a call, and what it got. */
struct weft_mpi_native_count {
    uint64_t calls, bytes_out, bytes_in;
};

/* Calls of which MPI does some, as MPI does them; they are exported elsewhere. */
#define WEFT_MPI_NATIVE_DECLARE(name) extern __typeof__(PMPI_##name) weft_mpi_native_##name;
WEFT_MPI_CALLS_SHARED(WEFT_MPI_NATIVE_DECLARE)
#undef WEFT_MPI_NATIVE_DECLARE

struct weft_mpi_native_count weft_mpi_native_count(enum weft_mpi_native call);
const char *weft_mpi_native_name(enum weft_mpi_native call);

#endif
