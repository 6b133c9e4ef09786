/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a record knows of a communicator. The GOAL language has tags, but no communicators: so that
 * messages of different ones get different tags, communicators have numbers. A new one's is larger
 * than any that its members know: no process is in two of the same number.
 */
#ifndef WEFT_MPI_RECORD_IDENTITY_H
#define WEFT_MPI_RECORD_IDENTITY_H

#include "mpi/state.h"

/* Outlives its communicator, which may be freed before what it carries is complete. */
struct weft_mpi_identity {
    unsigned users;
    int number;
    uint32_t collectives; /* so far */
    int size;
    int in_job[]; /* ranks; -1 of processes of other jobs */
};

/* NULL without memory: then the record has a gap. */
struct weft_mpi_identity *weft_mpi_identity(MPI_Comm comm);
/* Holds it; and lets it go, or nothing if it is NULL. */
struct weft_mpi_identity *weft_mpi_identity_hold(struct weft_mpi_identity *identity);
void weft_mpi_identity_drop(struct weft_mpi_identity *identity);

/* The rank in the job; -1 if there is none. */
int weft_mpi_identity_peer(const struct weft_mpi_identity *identity, int rank);
/* Messages by MPI_COMM_WORLD keep their tag. */
uint32_t weft_mpi_identity_tag(const struct weft_mpi_identity *identity, int tag);
/* Of the next collective by this communicator. */
uint32_t weft_mpi_identity_collective_tag(struct weft_mpi_identity *identity);

/* Gives a communicator that its members have just made its number. Collective. */
void weft_mpi_identity_new(MPI_Comm comm);

void weft_mpi_identity_begin(void);
void weft_mpi_identity_end(void);

#endif
