/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of a large matrix in one direction only, so that all that the processes hear of each
 * other is these messages. A copy of 8 MiB takes longer than a process usually waits for a
 * processor. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 16384, COLUMNS = 256, SENT = 128, MESSAGES = 40 };

static int value(int message, int row, int column)
{
    return message + 7 * row + 3 * column;
}

static void fill(int *matrix, int message)
{
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < SENT; column++)
            matrix[row * COLUMNS + column] = value(message, row, column);
}

static long mistakes(const int *matrix, int message)
{
    long count = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < SENT; column++)
            count += matrix[row * COLUMNS + column] != value(message, row, column);
    return count;
}

int main(int argc, char **argv)
{
    int rank;
    long wrong = 0;
    MPI_Datatype columns;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(ROWS, SENT, COLUMNS, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    int *matrix = calloc((size_t)ROWS * COLUMNS, sizeof *matrix);
    for (int message = 0; message < MESSAGES; message++) {
        if (rank == 0) {
            fill(matrix, message);
            MPI_Send(matrix, 1, columns, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(matrix, 1, columns, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += mistakes(matrix, message);
        }
    }
    printf("%d: %ld mistakes\n", rank, wrong);
    free(matrix);
    MPI_Type_free(&columns);
    MPI_Finalize();
    return wrong > 0;
}
