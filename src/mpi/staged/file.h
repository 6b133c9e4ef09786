/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that a file is read into or written from. */
#ifndef WEFT_MPI_STAGED_FILE_H
#define WEFT_MPI_STAGED_FILE_H

#include "mpi/message/cargo.h"

/* Whether MPI gets bytes; then the cargo is open. A read may end early, and MPI does not always
 * say where; so its buffer begins with what the memory has. */
bool weft_mpi_file_open_memory(MPI_File file, const void *buffer, int64_t count, MPI_Datatype type,
                               bool is_in, bool is_blocking, struct weft_mpi_cargo *cargo);

#endif
