/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_LIBRARY_DEVICE_H
#define WEFT_MPI_LIBRARY_DEVICE_H

#include "mpi/state.h"

/* When MPI is there. */
void weft_mpi_device_begin(void);
/* Looks for drivers again, if anything was loaded since. */
void weft_mpi_device_learn(void);

/* Whether there may be memory of a device at all. */
extern atomic_bool weft_mpi_has_device;
bool weft_mpi_ask_device(const void *address);

/* Whether a driver says that an address is not of the host. */
static inline bool weft_mpi_is_device(const void *address)
{
    return atomic_load_explicit(&weft_mpi_has_device, memory_order_relaxed) &&
           weft_mpi_ask_device(address);
}

#endif
