/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether anything of ours is under way. If nothing is, most calls are MPI's alone, and then they
 * must cost nothing: so what they look at first is here, to be inlined.
 */
#ifndef WEFT_MPI_MESSAGE_UNDER_WAY_H
#define WEFT_MPI_MESSAGE_UNDER_WAY_H

#include <stdatomic.h>
#include <stdbool.h>

/* How many operations there are (operation.c), receives that are only watched (watch.c), and
 * messages that a probe has taken out of MPI (probe.c). */
extern atomic_uint weft_mpi_operations, weft_mpi_kept;
extern unsigned weft_mpi_watches;

/* Calls of the program that wait for requests or test them, so far. Of calls that several threads
 * make at the same time some may not be counted. */
extern atomic_uint weft_mpi_waits;

static inline void weft_mpi_count_wait(void)
{
    unsigned waits = atomic_load_explicit(&weft_mpi_waits, memory_order_relaxed);
    atomic_store_explicit(&weft_mpi_waits, waits + 1, memory_order_relaxed);
}

/* Makes operations of all that are watched. */
void weft_mpi_watch_promote(void);

/* Whether there is any but receives that are only watched. */
static inline bool weft_mpi_operation_is_begun(void)
{
    return atomic_load_explicit(&weft_mpi_operations, memory_order_relaxed) != 0;
}

/* Whether there is any at all: if not, all requests are MPI's alone. Receives that are only
 * watched become operations by that. */
static inline bool weft_mpi_operation_is_any(void)
{
    if (weft_mpi_watches)
        weft_mpi_watch_promote();
    return weft_mpi_operation_is_begun();
}

/* The same, and all stays as it is. */
static inline bool weft_mpi_is_under_way(void)
{
    return weft_mpi_watches || weft_mpi_operation_is_begun();
}

static inline bool weft_mpi_is_anything_peeked(void)
{
    return atomic_load_explicit(&weft_mpi_kept, memory_order_relaxed) != 0;
}

/* Whether a call that waits for so many requests may end those that are watched: some are under
 * way, nothing else is, and there are not too many requests, among which are the sends, too. */
enum { WEFT_MPI_MOST_WATCHES = 256, WEFT_MPI_MOST_WAITED = 2 * WEFT_MPI_MOST_WATCHES };
static inline bool weft_mpi_watch_may_end(int count)
{
    return weft_mpi_watches && count <= WEFT_MPI_MOST_WAITED && !weft_mpi_operation_is_begun();
}

#endif
