/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and collectives that have begun, by the handles that the program holds. */
#ifndef WEFT_MPI_RECORD_REQUEST_H
#define WEFT_MPI_RECORD_REQUEST_H

#include "mpi/message/cargo.h"
#include "mpi/record/identity.h"

/* A message begins, where the program is; the program does not wait for it. NONE if it has no
 * other end in this job. */
uint32_t weft_mpi_record_message(const struct weft_mpi_args *args);
/* A step has received this. */
void weft_mpi_record_received(uint32_t step, const struct weft_mpi_identity *identity,
                              const MPI_Status *status);

/* From now on a request stands for steps, either of which may be NONE. */
void weft_mpi_record_request(MPI_Request request, uint32_t step, uint32_t receive, MPI_Comm comm);
/* For one that is to be started again and again. */
void weft_mpi_record_persistent(MPI_Request request, const struct weft_mpi_args *args);
void weft_mpi_record_start(MPI_Request request);

/* The program has heard that it is complete, and holds it no more unless it is persistent. */
void weft_mpi_record_complete(MPI_Request request, const MPI_Status *status);
/* The same, but the program still holds it. */
void weft_mpi_record_look(MPI_Request request, const MPI_Status *status);
void weft_mpi_record_free(MPI_Request request);

/* A message that was found, and is to be received by its handle. */
void weft_mpi_record_found(MPI_Message message, const struct weft_mpi_args *args);
/* As a message that begins; NONE if it was not found so. */
uint32_t weft_mpi_record_take_found(MPI_Message message);

/* False without memory. */
bool weft_mpi_record_requests_begin(void);

#endif
