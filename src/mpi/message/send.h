/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_MESSAGE_SEND_H
#define WEFT_MPI_MESSAGE_SEND_H

#include "mpi/message/operation.h"

/* Both send as the args says and set the result; false if MPI must do it. */
bool weft_mpi_send(const struct weft_mpi_args *args, int *result);
bool weft_mpi_isend(const struct weft_mpi_args *args, MPI_Request *request, int *result);

/* The same, by MPI if need be. */
int weft_mpi_isend_any(const struct weft_mpi_args *args, MPI_Request *request);

#endif
