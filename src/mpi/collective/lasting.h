/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments of a persistent collective: the program may change its lists and free its types when
 * it has made the request.
 */
#ifndef WEFT_MPI_COLLECTIVE_LASTING_H
#define WEFT_MPI_COLLECTIVE_LASTING_H

#include "mpi/library/side.h"

/* Replaces lists, of so many peers, and types by copies; false without memory. Whatever comes of
 * it, they are to be freed. */
bool weft_mpi_side_copy(struct weft_mpi_side *side, int peers);
void weft_mpi_side_free(struct weft_mpi_side *side, int peers);

#endif
