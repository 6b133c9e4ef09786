/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_MESSAGE_SEND_H
#define WEFT_MPI_MESSAGE_SEND_H

#include "mpi/message/operation.h"

/* Both send as the args says and set the result; false if MPI must do it. */
bool weft_mpi_send(const struct weft_mpi_args *args, int *result);
bool weft_mpi_isend(const struct weft_mpi_args *args, MPI_Request *request, int *result);

/* Whether it must go by ticket: a synchronous send of as many bytes as a ticket has. */
bool weft_mpi_send_is_long_as_ticket(const struct weft_mpi_args *args);

/* The same, by MPI if need be. */
int weft_mpi_isend_any(const struct weft_mpi_args *args, MPI_Request *request);

#endif
