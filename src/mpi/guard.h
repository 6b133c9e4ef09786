/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks and counters that threads of the program share. Most programs call MPI from one thread at
 * a time and say so when they begin; a message passes some twenty of these, and each would take as
 * long as a hundred bytes. The helper thread touches none of them.
 */
#ifndef WEFT_MPI_GUARD_H
#define WEFT_MPI_GUARD_H

#include "mpi/state.h"

static inline void weft_mpi_lock(pthread_mutex_t *lock)
{
    if (weft_mpi.is_threaded)
        pthread_mutex_lock(lock);
}

static inline bool weft_mpi_try_lock(pthread_mutex_t *lock)
{
    return !weft_mpi.is_threaded || pthread_mutex_trylock(lock) == 0;
}

static inline void weft_mpi_unlock(pthread_mutex_t *lock)
{
    if (weft_mpi.is_threaded)
        pthread_mutex_unlock(lock);
}

/* Says what it was before. */
static inline unsigned weft_mpi_add(atomic_uint *counter, int amount)
{
    if (weft_mpi.is_threaded)
        return atomic_fetch_add_explicit(counter, (unsigned)amount, memory_order_acq_rel);
    unsigned before = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, before + (unsigned)amount, memory_order_relaxed);
    return before;
}

static inline void weft_mpi_add_long(atomic_ullong *counter, unsigned long long amount)
{
    if (weft_mpi.is_threaded)
        atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
    else
        atomic_store_explicit(counter,
                              atomic_load_explicit(counter, memory_order_relaxed) + amount,
                              memory_order_relaxed);
}

#endif
