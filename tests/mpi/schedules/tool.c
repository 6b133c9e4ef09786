/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool to be loaded before or behind the library of `weft run`: it counts calls, as profilers
 * do, and says at the end how many it has seen, if it sees the end. NAME tells it from another
 * one. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_uint calls;

__attribute__((constructor)) static void say_so(void)
{
    printf("tool " NAME " is loaded\n");
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm)
{
    calls++;
    return PMPI_Send(buffer, count, type, target, tag, comm);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    calls++;
    return PMPI_Isend(buffer, count, type, target, tag, comm, request);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    calls++;
    return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    calls++;
    return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    calls++;
    return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    calls++;
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    calls++;
    return PMPI_Probe(source, tag, comm, status);
}

int MPI_Finalize(void)
{
    printf("tool " NAME ": %u calls\n", calls);
    return PMPI_Finalize();
}
