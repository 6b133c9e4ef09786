/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_START_RANKS_H
#define WEFT_MPI_START_RANKS_H

#include "mpi/state.h"

/* The rank in the job of a rank of a communicator (for an intercommunicator, of its other side);
 * -1 if the process is not of this job. */
int weft_mpi_peer(MPI_Comm comm, int rank);

/* Whom a rank of a communicator means, to be freed. */
MPI_Group weft_mpi_peers(MPI_Comm comm);

/* Whether all processes of a communicator, on this side of it, are of this job. Processes of other
 * jobs, which this one has spawned or met, may know nothing of us. All members find the same. */
bool weft_mpi_is_within_job(MPI_Comm comm);

/* Whether a rank of a communicator is known to be on this host; and all of them, on this side. */
bool weft_mpi_is_rank_near(MPI_Comm comm, int rank);
bool weft_mpi_is_on_one_host(MPI_Comm comm);

/* Closes a communicator, and all copies that are made of it: from now on it has nobody of this
 * job. False without memory. */
bool weft_mpi_peer_close(MPI_Comm comm);

void weft_mpi_peer_begin(void);
void weft_mpi_peer_end(void);

#endif
