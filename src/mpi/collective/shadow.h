/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A communicator of ours beside one of the program's: the same processes with the same ranks. By
 * it we send the messages of collectives, which no receive of the program may match.
 */
#ifndef WEFT_MPI_COLLECTIVE_SHADOW_H
#define WEFT_MPI_COLLECTIVE_SHADOW_H

#include "mpi/state.h"

/* Whether there may be one: all processes of the job take part, and the communicator has one group
 * of them. */
bool weft_mpi_shadow_is_possible(MPI_Comm comm);

/* MPI_COMM_NULL if MPI is to do the collectives of this communicator, which all its processes are
 * told alike. Collective when it is first called. */
MPI_Comm weft_mpi_shadow(MPI_Comm comm);

/* The same for a call that must not wait for others: MPI_COMM_NULL also while they have not been
 * asked. That is done on the next occasion: a collective that may wait. All processes of the
 * communicator have made this call before that one, so all know that there is a question. */
MPI_Comm weft_mpi_shadow_at_once(MPI_Comm comm);
/* Such an occasion. */
void weft_mpi_shadow_settle(MPI_Comm comm);

/* Whether all processes have said that the graph of the communicator, which has a shadow, is
 * simple (around.h). */
bool weft_mpi_shadow_is_simple(MPI_Comm comm);

/* For a persistent exchange by the shadow of a communicator: a tag of its own, which is the same
 * for all processes, as they make such exchanges in the same order; NULL if there is none left.
 * The shadow stays, whatever becomes of the program's communicator, until it is let go. */
struct weft_mpi_shadow;
struct weft_mpi_shadow *weft_mpi_shadow_keep(MPI_Comm comm, int *tag);
void weft_mpi_shadow_let_go(struct weft_mpi_shadow *shadow);

/* When MPI is there, and before it goes. */
void weft_mpi_shadow_begin(void);
void weft_mpi_shadow_end(void);

#endif
