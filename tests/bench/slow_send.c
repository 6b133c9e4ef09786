/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Send as on a machine that is too busy. */
#include <mpi.h>
#include <time.h>

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    const struct timespec nap = {.tv_nsec = 10 * 1000000};
    nanosleep(&nap, NULL);
    return PMPI_Send(buffer, count, type, to, tag, comm);
}
