/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of one-sided calls without a request: MPI may use them until a call that synchronises
 * has returned, which then moves on what has come.
 */
#ifndef WEFT_MPI_STAGED_PENDING_H
#define WEFT_MPI_STAGED_PENDING_H

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

/* Those of a window, with one target or all, which the caller now has; NULL if there are none. */
enum { WEFT_MPI_ALL_TARGETS = -1 };
struct weft_mpi_pending *weft_mpi_pending_take(MPI_Win win, int target);
/* A call that synchronises has ended so. If it has failed, they wait for the next. */
void weft_mpi_pending_end(struct weft_mpi_pending *taken, int result);

#endif
