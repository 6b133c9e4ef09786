/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of one-sided calls without a request: MPI may use them until a call that synchronises
 * has returned, which then moves on what has come.
 */
#ifndef WEFT_MPI_STAGED_PENDING_H
#define WEFT_MPI_STAGED_PENDING_H

#include <limits.h>

#include "mpi/message/cargo.h"

struct weft_mpi_pending;

/* Whether so much already waits that so many bytes more are too much. */
bool weft_mpi_pending_is_full(size_t more);

/* Before the call is made. NULL without memory. Otherwise it is kept, and the cargo with it, or
 * dropped. */
struct weft_mpi_pending *weft_mpi_pending_new(MPI_Win win, int target, bool is_in,
                                              const struct weft_mpi_cargo *cargo);
void weft_mpi_pending_keep(struct weft_mpi_pending *pending);
void weft_mpi_pending_drop(struct weft_mpi_pending *pending);

/* Of a window, with one target or all: no rank, nor any of the constants that MPI has for one. */
enum { WEFT_MPI_ALL_TARGETS = INT_MIN };
/* Before a call that synchronises: the last of those that it is to end; 0 if there are none. */
unsigned long long weft_mpi_pending_last(MPI_Win win, int target);
/* After it, if it has succeeded: those up to that one. Who finds none before a call of its own may
 * use what they have brought, whichever thread has ended them. */
void weft_mpi_pending_end(MPI_Win win, int target, unsigned long long last);

#endif
