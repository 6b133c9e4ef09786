/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool of the kind that PMPI is for: counts calls, and says how many there were. */
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    sends++;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Finalize(void)
{
    fprintf(stderr, "tool " NAME ": %d sends\n", sends);
    return PMPI_Finalize();
}
