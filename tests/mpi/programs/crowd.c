/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rank sends a column to some ranks before and behind it, and looks at what comes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 4096
#define STRIDE 2
#define NEIGHBOURS 5

static int is_right(const double *column, int source)
{
    for (int i = 0; i < COUNT; i++)
        if (column[STRIDE * i] != source + i)
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    static double out[STRIDE * COUNT], in[NEIGHBOURS][STRIDE * COUNT];
    MPI_Request requests[2 * NEIGHBOURS];
    MPI_Datatype column;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(COUNT, 1, STRIDE, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < COUNT; i++)
        out[STRIDE * i] = rank + i;
    for (int i = 0; i < NEIGHBOURS; i++) {
        int ahead = (rank + i + 1) % size, behind = (rank + size - i - 1) % size;
        MPI_Irecv(in[i], 1, column, behind, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(out, 1, column, ahead, 0, MPI_COMM_WORLD, &requests[NEIGHBOURS + i]);
    }
    MPI_Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < NEIGHBOURS; i++)
        if (!is_right(in[i], (rank + size - i - 1) % size)) {
            fprintf(stderr, "rank %d: what was received is wrong\n", rank);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
