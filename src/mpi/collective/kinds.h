/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kinds of collectives, of each of which all processes of a communicator have one verdict: the
 * call, and the size of a message up to a factor of two, if MPI demands that it is the same for
 * all processes.
 */
#ifndef WEFT_MPI_COLLECTIVE_KINDS_H
#define WEFT_MPI_COLLECTIVE_KINDS_H

#include "mpi/collective/verdict.h"
#include "mpi/library/side.h"

enum weft_mpi_family {
    WEFT_MPI_ALL_TO_ALL,
    WEFT_MPI_BROADCAST,
    WEFT_MPI_GATHER,
    WEFT_MPI_SCATTER,
    WEFT_MPI_GATHER_ALL,
    WEFT_MPI_EXCHANGE_AROUND,
    WEFT_MPI_GATHER_AROUND,
    WEFT_MPI_FAMILIES
};

/* Bytes of what a side says of one peer, and SIZE_MAX where each has its own. */
#define WEFT_MPI_VARIED SIZE_MAX
size_t weft_mpi_side_bytes(const struct weft_mpi_side *side);
/* Whether what it says of one of so many peers does not lie together. */
bool weft_mpi_side_is_apart(const struct weft_mpi_side *side, int peers);

/* Short ones are always MPI's: surely so many elements of that type. */
bool weft_mpi_kind_is_short(int64_t count, MPI_Datatype type);
/* Exactly: not so many bytes. */
bool weft_mpi_kind_is_long(size_t bytes);

/* NULL if MPI is to do it, which is the same for all processes; or without memory, and then the
 * result is that of the call. */
struct weft_mpi_verdict *weft_mpi_kind_verdict(MPI_Comm comm, enum weft_mpi_family family,
                                               bool may_wait, size_t bytes, int *result);

/* Whether we do the next call of a kind whose calls answer with a request, so that they must not
 * wait for others. What counts is the time from one to the next. */
bool weft_mpi_kind_is_ours_at_once(struct weft_mpi_verdict *verdict, MPI_Comm comm);
/* A collective of the program's that waits for all others. */
void weft_mpi_kinds_settle(MPI_Comm comm);

/* When MPI is there, and before it goes. */
void weft_mpi_kinds_begin(void);
void weft_mpi_kinds_end(void);

#endif
