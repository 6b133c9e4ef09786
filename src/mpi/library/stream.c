/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams of MPICH: communicators by which its experimental calls send and receive, which we do
 * not know. All processes of such a communicator make it together, so all know not to send tickets
 * there. The standard ABI has none of this; strange.c looks whether a library has it nevertheless.
 */
#include "mpi/message/operation.h"
#include "mpi/start/ranks.h"

#if !defined OPEN_MPI && !defined WEFT_MPI_STANDARD_ABI

static int close_to_tickets(int result, MPI_Comm *comm)
{
    if (result != MPI_SUCCESS || !weft_mpi.is_on || *comm == MPI_COMM_NULL ||
        weft_mpi_peer_close(*comm))
        return result;
    return weft_mpi_raise_no_memory(*comm);
}

#define EXPORT __attribute__((visibility("default")))

EXPORT int MPIX_Stream_comm_create(MPI_Comm comm, int stream, MPI_Comm *newcomm);
EXPORT int MPIX_Stream_comm_create_multiplex(MPI_Comm comm, int count, int streams[],
                                             MPI_Comm *newcomm);

int MPIX_Stream_comm_create(MPI_Comm comm, int stream, MPI_Comm *newcomm)
{
    __typeof__(MPIX_Stream_comm_create) *create;
    *(void **)&create = weft_mpi_look_for("PMPIX_Stream_comm_create");
    return close_to_tickets(create(comm, stream, newcomm), newcomm);
}

int MPIX_Stream_comm_create_multiplex(MPI_Comm comm, int count, int streams[], MPI_Comm *newcomm)
{
    __typeof__(MPIX_Stream_comm_create_multiplex) *create;
    *(void **)&create = weft_mpi_look_for("PMPIX_Stream_comm_create_multiplex");
    return close_to_tickets(create(comm, count, streams, newcomm), newcomm);
}

#endif
