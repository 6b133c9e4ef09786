/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives that MPI does as the program has said, and of whose messages only the size must be
 * looked at: one of them may be a ticket. Most programs wait for all of them at once, and then it
 * is enough to know where they arrive. Whatever else a program does while some are under way makes
 * operations of them first (operation.c), so nothing else has to know of them.
 *
 * Only in programs whose threads do not call MPI at the same time.
 */
#ifndef WEFT_MPI_MESSAGE_WATCH_H
#define WEFT_MPI_MESSAGE_WATCH_H

#include "mpi/message/cargo.h"

/* Receives as it is the habit, and sets the result; false if there is none, or no room. */
bool weft_mpi_watch_ireceive(const struct weft_mpi_args *args, MPI_Request *request, int *result);

/* Receives what the cargo is open for, and which is then no more the caller's; false if it is not
 * to come in place, or there is no room. */
bool weft_mpi_watch_begin(const struct weft_mpi_args *args, const struct weft_mpi_cargo *cargo,
                          MPI_Request *request, int *result);

/* Only where they may end them (under_way.h). */
int weft_mpi_watch_wait(MPI_Request *request, MPI_Status *status);
int weft_mpi_watch_wait_all(int count, MPI_Request requests[], MPI_Status statuses[]);

#endif
