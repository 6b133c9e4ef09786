/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Probes must tell the size of the message and not of its ticket. A message as long as a ticket is
 * therefore taken out of MPI and kept here, where receives look first: it is older than all that
 * MPI still has from the same source.
 */
#ifndef WEFT_MPI_MESSAGE_PROBE_H
#define WEFT_MPI_MESSAGE_PROBE_H

#include "mpi/message/operation.h"

/* Held while a message is taken out, and while a receive looks here and is posted: a message must
 * not be in between when a thread posts a receive for it. */
extern pthread_mutex_t weft_mpi_posting;

/* Both look among the messages kept; false if there is none for the args. */
bool weft_mpi_peeked_receive(const struct weft_mpi_args *args, MPI_Status *status, int *result);
bool weft_mpi_peeked_ireceive(const struct weft_mpi_args *args, MPI_Request *request, int *result);

#endif
