/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_COLLECTIVE_AROUND_H
#define WEFT_MPI_COLLECTIVE_AROUND_H

#include "mpi/state.h"

/* Whether this is a graph in which this process has no neighbour twice, and not too many: if all
 * can say so of theirs, each message between two processes is the only one. */
bool weft_mpi_around_is_simple(MPI_Comm comm);

#endif
