/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fft2d BYTES MICROSECONDS: the graph `fft2d` of `weft sim goal` as an MPI program for SMPI: two
 * computations, and after each an exchange of everybody with everybody. Prints how long it took,
 * in microseconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>
#include <smpi/smpi.h>

static void exchange(char *buffer, int bytes, int tag)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request *requests = malloc(2 * (size_t)size * sizeof *requests);
    int count = 0;
    for (int distance = 1; distance < size; distance++) {
        int to = (rank + distance) % size, from = (rank + size - distance) % size;
        MPI_Irecv(buffer, bytes, MPI_CHAR, from, tag, MPI_COMM_WORLD, &requests[count++]);
        MPI_Isend(buffer, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int rank, bytes = (int)strtol(argv[1], NULL, 10);
    double seconds = strtod(argv[2], NULL) / 1e6, most = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *buffer = malloc((size_t)bytes);
    double begin = MPI_Wtime();
    for (int tag = 0; tag < 2; tag++) {
        smpi_execute(seconds);
        exchange(buffer, bytes, tag);
    }
    double time = MPI_Wtime() - begin;
    MPI_Reduce(&time, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.3f\n", most * 1e6);
    free(buffer);
    MPI_Finalize();
    return 0;
}
