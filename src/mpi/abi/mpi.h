/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The standard ABI of MPI 5, in place of the header of an MPI library. The preload library for
 * programs with libmpi_abi.so is built with it, so that no MPI library is needed to build one for
 * all of them. tests/mpi/abi holds it against the headers of libraries that have the ABI.
 */
#ifndef WEFT_MPI_ABI_MPI_H
#define WEFT_MPI_ABI_MPI_H

/* Whoever is compiled with other headers has other handles. */
#define WEFT_MPI_STANDARD_ABI

#include "mpi/abi/constants.h"
#include "mpi/abi/prototypes.h"

#endif
