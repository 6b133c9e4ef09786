/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges of columns with requests, and nothing that waits but a sum at the end of each turn: by
 * the first sum at the latest all processes know of each other what they can do.
 */
#include "corner.h"

enum { ROWS = 2000, WIDTH = 3, MOST = 8, TURNS = 10 };

static double out[MOST][ROWS * WIDTH], in[MOST][ROWS * WIDTH];

static double number_of(int from, int to, int row)
{
    return 1e6 * from + 1e4 * to + row;
}

static void exchange(int size, MPI_Datatype column)
{
    int counts[MOST], places[MOST];
    MPI_Datatype types[MOST];
    MPI_Request request;
    memset(in, 0, sizeof in);
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = (int)sizeof out[0] * i;
        types[i] = column;
        for (int j = 0; j < ROWS; j++)
            out[i][WIDTH * j] = number_of(rank, i, j);
    }
    MPI_Ialltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_WORLD,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++) {
        int is_right = 1;
        for (int j = 0; j < ROWS; j++)
            is_right =
                is_right && in[i][WIDTH * j] == number_of(i, rank, j) && in[i][WIDTH * j + 1] == 0;
        judge(is_right, "a column");
    }
}

int main(int argc, char **argv)
{
    int size, one = 1, sum = 0;
    MPI_Datatype column;
    corner_open(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(ROWS, 1, WIDTH, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < TURNS; i++) {
        exchange(size, column);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        judge(sum == size, "a sum");
    }
    MPI_Type_free(&column);
    return corner_close();
}
