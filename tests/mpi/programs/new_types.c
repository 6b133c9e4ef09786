/* SPDX-License-Identifier: BSD-3-Clause */
/* A type for each message, as ScaLAPACK makes them: MPI gives the next one the handle of the last,
 * however that was made. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES = 300, COLUMNS = 64, ROWS = 40 };

static double sent[ROWS][COLUMNS], received[ROWS][COLUMNS];

static void make_indexed(int width, MPI_Datatype *columns)
{
    int lengths[ROWS], places[ROWS];
    for (int i = 0; i < ROWS; i++) {
        lengths[i] = width;
        places[i] = i * COLUMNS;
    }
    MPI_Type_indexed(ROWS, lengths, places, MPI_DOUBLE, columns);
}

/* The same columns by several constructors in turn. */
static MPI_Datatype make_columns(int turn, int width)
{
    MPI_Datatype columns, row;
    switch (turn % 4) {
    case 0:
        MPI_Type_vector(ROWS, width, COLUMNS, MPI_DOUBLE, &columns);
        break;
    case 1:
        make_indexed(width, &columns);
        break;
    case 2:
        MPI_Type_create_hvector(ROWS, width, sizeof sent[0], MPI_DOUBLE, &columns);
        break;
    default:
        MPI_Type_contiguous(width, MPI_DOUBLE, &row);
        MPI_Type_create_hvector(ROWS, 1, sizeof sent[0], row, &columns);
        MPI_Type_free(&row);
    }
    MPI_Type_commit(&columns);
    return columns;
}

/* How many numbers are not where they belong. */
static int exchange(int other, int turn, int width)
{
    MPI_Datatype columns = make_columns(turn, width);
    int wrong = 0;
    memset(received, 0, sizeof received);
    MPI_Sendrecv(sent, 1, columns, other, 1, received, 1, columns, other, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&columns);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            wrong += received[i][j] != (j < width ? i * COLUMNS + j : 0);
    return wrong;
}

int main(int argc, char **argv)
{
    int rank, wrong = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sent[i][j] = i * COLUMNS + j;
    for (int i = 0; i < MESSAGES; i++)
        wrong += exchange(1 - rank, i, 1 + i * 7 % (COLUMNS - 1));
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all)
        printf("%d numbers are wrong\n", all);
    MPI_Finalize();
    return all != 0;
}
