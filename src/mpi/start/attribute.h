/* SPDX-License-Identifier: BSD-3-Clause */
/* What is kept with communicators until they are freed. */
#ifndef WEFT_MPI_START_ATTRIBUTE_H
#define WEFT_MPI_START_ATTRIBUTE_H

#include "mpi/state.h"

struct weft_mpi_attribute {
    int key; /* MPI_KEYVAL_INVALID to begin with */
    void (*drop)(void *value);
};

/* Must stay until all communicators that have it are freed. Without `copy`, copies of a
 * communicator do not have it. */
void weft_mpi_attribute_begin(struct weft_mpi_attribute *attribute,
                              MPI_Comm_copy_attr_function *copy);
void weft_mpi_attribute_end(struct weft_mpi_attribute *attribute);

#endif
