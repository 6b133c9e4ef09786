/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_MESSAGE_RECEIVE_H
#define WEFT_MPI_MESSAGE_RECEIVE_H

#include "mpi/message/operation.h"

/* Both receive as the args says and set the result; false if MPI must do it. */
bool weft_mpi_receive(const struct weft_mpi_args *args, MPI_Status *status, int *result);
bool weft_mpi_ireceive(const struct weft_mpi_args *args, MPI_Request *request, int *result);

/* The same as the second, for the program itself, which will most likely wait for it with others.
 */
bool weft_mpi_ireceive_for_program(const struct weft_mpi_args *args, MPI_Request *request,
                                   int *result);

/* The same as the second, by MPI if need be. */
int weft_mpi_ireceive_any(const struct weft_mpi_args *args, MPI_Request *request);

/* The message of a ticket that is here, to `cargo`, which is closed: blocking, or with a request.
 * `status` is that of the ticket. */
int weft_mpi_receive_ticket(const struct weft_mpi_ticket *ticket, struct weft_mpi_cargo *cargo,
                            MPI_Comm comm, MPI_Status *status);
int weft_mpi_ireceive_ticket(const struct weft_mpi_ticket *ticket, const MPI_Status *status,
                             struct weft_mpi_cargo *cargo, MPI_Comm comm, MPI_Request *request);

#endif
