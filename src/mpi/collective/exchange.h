/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An exchange of a process with several peers as a message each way for each of them, which goes
 * the way that is best for its own type and size.
 */
#ifndef WEFT_MPI_COLLECTIVE_EXCHANGE_H
#define WEFT_MPI_COLLECTIVE_EXCHANGE_H

#include "mpi/library/side.h"
#include "mpi/state.h"

/* A message of each side: the peer and its index in the call's arguments, or none. */
enum { WEFT_MPI_NO_MESSAGE = -1 };
struct weft_mpi_exchange_step {
    int to, out, from, in;
};

struct weft_mpi_exchange {
    struct weft_mpi_side out, in;
    MPI_Comm program; /* the communicator of the call, whose error handler hears of errors */
    MPI_Comm comm;    /* that by which the messages go */
    struct weft_mpi_exchange_step (*step)(const struct weft_mpi_exchange *exchange, int number);
    int rank, size;
    const void *around; /* of neighbours, see around.c */
};

/* Without a request, so many steps are begun before any is waited for. */
enum { WEFT_MPI_EXCHANGE_BATCH = 16 };

/* Arguments that MPI refuses it is to refuse itself. */
bool weft_mpi_exchange_is_valid(const struct weft_mpi_side *side, int peers);

/* What this process sends to itself, by the index of both. As MPI's calls return. */
int weft_mpi_exchange_own(const struct weft_mpi_exchange *exchange, int index);

/* all.c: an exchange with all, of which only both sides and the program's communicator are known.
 * False if MPI is to do it. */
bool weft_mpi_exchange_all(struct weft_mpi_exchange *exchange, MPI_Request *request, int *result);

/* All steps from the first to before the end: ended, or, with a request, begun. As MPI's calls
 * return. Both ends of each pair of processes take their steps in the same order. */
int weft_mpi_exchange_run(const struct weft_mpi_exchange *exchange, int first, int end,
                          MPI_Request *request);

#endif
