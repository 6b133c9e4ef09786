/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_COLLECTIVE_SPREAD_H
#define WEFT_MPI_COLLECTIVE_SPREAD_H

#include "mpi/collective/exchange.h"
#include "mpi/collective/packed.h"

/* Does a call, whose roles are known, in messages between its processes: ended, or, with a
 * request, begun. All processes do, and have voted before (verdict.h). As MPI's calls return. */
int weft_mpi_spread(const struct weft_mpi_packed_call *call, MPI_Request *request);

/* The same in two steps, for a call that is made more than once. By which communicator the
 * messages go, and with which tag, is left to say. */
struct weft_mpi_exchange weft_mpi_spread_plan(const struct weft_mpi_packed_call *call);
int weft_mpi_spread_run(const struct weft_mpi_packed_call *call,
                        const struct weft_mpi_exchange *exchange, MPI_Request *request);

#endif
