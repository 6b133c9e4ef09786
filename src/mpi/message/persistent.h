/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Persistent requests that concern us. While they rest they are no operations, and nobody else
 * pays for them. Started, one is either MPI's own, with a look at what it receives, or, if it goes
 * another way this time, only a handle for the program to hold, and an operation stands for it
 * until what was begun in its place has ended.
 */
#ifndef WEFT_MPI_MESSAGE_PERSISTENT_H
#define WEFT_MPI_MESSAGE_PERSISTENT_H

#include <stdatomic.h>

#include "mpi/message/plan.h"

extern atomic_uint weft_mpi_persistents;

static inline bool weft_mpi_persistent_is_any(void)
{
    return atomic_load_explicit(&weft_mpi_persistents, memory_order_relaxed) != 0;
}

/* MPI_Start, by MPI. Open MPI may make another request in its place, if it has something left to
 * do for the old one: then that is what we know it by. */
int weft_mpi_persistent_start(MPI_Request *request);

/* Takes one away: the program is about to free it. NULL if it does not concern us. */
struct weft_mpi_persistent *weft_mpi_persistent_take(MPI_Request request);
/* Puts it back. */
void weft_mpi_persistent_put(struct weft_mpi_persistent *persistent);
/* Frees what was taken away, or NULL, after MPI has freed its request. */
void weft_mpi_persistent_drop(struct weft_mpi_persistent *persistent);

#endif
