/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of 4 MiB from columns of a matrix into columns of another, checked byte by byte. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 1024
#define COLUMNS 1024
#define TAKEN (COLUMNS / 2) /* doubles of each row: 4 MiB in all */
#define MESSAGES 10

static double value(int message, int row, int column)
{
    return message * 1e8 + row * COLUMNS + column;
}

static int is_right(const double *matrix, int message)
{
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            double expected = column % 2 ? -1 : value(message, row, column);
            if (matrix[row * COLUMNS + column] != expected)
                return 0;
        }
    return 1;
}

static void fill(double *matrix, int rank, int message)
{
    for (int i = 0; i < ROWS * COLUMNS; i++)
        matrix[i] = rank == 0 ? value(message, i / COLUMNS, i % COLUMNS) : -1;
}

int main(int count, char **arguments)
{
    int rank, wrong = 0;
    double *matrix = malloc(ROWS * COLUMNS * sizeof *matrix);
    MPI_Datatype columns;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(ROWS * TAKEN, 1, 2, MPI_DOUBLE, &columns);
    MPI_Type_commit(&columns);
    for (int message = 0; message < MESSAGES; message++) {
        fill(matrix, rank, message);
        if (rank == 0)
            MPI_Send(matrix, 1, columns, 1, message, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Recv(matrix, 1, columns, 0, message, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += !is_right(matrix, message);
        }
    }
    if (wrong)
        printf("%d messages are wrong\n", wrong);
    MPI_Type_free(&columns);
    MPI_Finalize();
    free(matrix);
    return wrong != 0;
}
