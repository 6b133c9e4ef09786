/* SPDX-License-Identifier: BSD-3-Clause */
/* A column of a matrix, short and long, from rank 0 to rank 1 and back; also as C++. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 3

static double *matrix;
static int rank, mistakes;

static void fill(int rows, double first)
{
    for (int i = 0; i < rows * WIDTH; i++)
        matrix[i] = i % WIDTH == 1 ? first + i : -1;
}

static void check(int rows, double first)
{
    for (int i = 0; i < rows * WIDTH; i++)
        mistakes += matrix[i] != (i % WIDTH == 1 ? first + i : -1);
}

static void exchange(int rows)
{
    MPI_Datatype column;
    MPI_Type_vector(rows, 1, WIDTH, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    fill(rows, rank == 0 ? 7 : 0);
    if (rank == 0) {
        MPI_Send(matrix + 1, 1, column, 1, rows, MPI_COMM_WORLD);
        fill(rows, 0);
        MPI_Recv(matrix + 1, 1, column, 1, rows, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(matrix + 1, 1, column, 0, rows, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(matrix + 1, 1, column, 0, rows, MPI_COMM_WORLD);
    }
    if (rank < 2)
        check(rows, 7);
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    matrix = (double *)malloc(sizeof *matrix * WIDTH * 100000);
    for (int rows = 10; rows <= 100000; rows *= 10)
        exchange(rows);
    if (rank < 2)
        printf("rank %d: %d mistakes\n", rank, mistakes);
    free(matrix);
    MPI_Finalize();
    return mistakes != 0;
}
