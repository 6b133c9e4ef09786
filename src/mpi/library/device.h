/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_LIBRARY_DEVICE_H
#define WEFT_MPI_LIBRARY_DEVICE_H

#include "mpi/state.h"

/* When MPI is there. */
void weft_mpi_device_begin(void);
/* Looks for drivers again. */
void weft_mpi_device_learn(void);
/* Whether a driver says that an address is not of the host. */
bool weft_mpi_is_device(const void *address);

#endif
