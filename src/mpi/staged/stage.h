/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that are no messages: files and one-sided communication. Where MPI is slower than we are
 * with data that lie apart, it gets them packed, in a buffer of ours. All else about such a call
 * stays MPI's.
 */
#ifndef WEFT_MPI_STAGED_STAGE_H
#define WEFT_MPI_STAGED_STAGE_H

#include "mpi/message/cargo.h"

/* Whether these data could be handed over packed; then the cargo is open, without a buffer. */
bool weft_mpi_stage_open(const void *buffer, int64_t count, MPI_Datatype type, bool is_in,
                         struct weft_mpi_cargo *cargo);
/* Gives it a buffer with what the memory has; false without memory, and then it is closed. */
bool weft_mpi_stage_load(struct weft_mpi_cargo *cargo);
/* The same without: the call will write all of it. */
bool weft_mpi_stage_make_room(struct weft_mpi_cargo *cargo);

/* A call has ended with that result, which is returned: data that came in go to their place. */
int weft_mpi_stage_end(struct weft_mpi_cargo *cargo, bool is_in, int result);
/* The same for a call that, if it has succeeded, ends with its request. */
int weft_mpi_stage_follow(struct weft_mpi_cargo *cargo, bool is_in, int result,
                          MPI_Request *request);

#endif
