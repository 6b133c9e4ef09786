/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agreed [TURNS]: exchanges of columns that MPI does until all processes have agreed on something
 * else: those with a request until the first sum, those of one type for all peers until they have
 * come some times. With TURNS only the latter, so often.
 */
#include "corner.h"

enum { ROWS = 2000, WIDTH = 3, MOST = 8, TURNS = 10 };

static double out[MOST][ROWS * WIDTH], in[MOST][ROWS * WIDTH];

static double number_of(int from, int to, int row)
{
    return 1e6 * from + 1e4 * to + row;
}

static void fill(int size)
{
    memset(in, 0, sizeof in);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < ROWS; j++)
            out[i][WIDTH * j] = number_of(rank, i, j);
}

static void compare(int size, const char *what)
{
    for (int i = 0; i < size; i++) {
        int is_right = 1;
        for (int j = 0; j < ROWS; j++)
            is_right =
                is_right && in[i][WIDTH * j] == number_of(i, rank, j) && in[i][WIDTH * j + 1] == 0;
        judge(is_right, what);
    }
}

static void exchange_with_request(int size, MPI_Datatype column)
{
    int counts[MOST], places[MOST];
    MPI_Datatype types[MOST];
    MPI_Request request;
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = (int)sizeof out[0] * i;
        types[i] = column;
    }
    fill(size);
    MPI_Ialltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_WORLD,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compare(size, "with a request");
}

static void exchange_of_one_type(int size, MPI_Datatype column)
{
    fill(size);
    MPI_Alltoall(out, 1, column, in, 1, column, MPI_COMM_WORLD);
    compare(size, "of one type");
}

static MPI_Datatype make_column(void)
{
    MPI_Datatype narrow, column;
    MPI_Type_vector(ROWS, 1, WIDTH, MPI_DOUBLE, &narrow);
    MPI_Type_create_resized(narrow, 0, sizeof out[0], &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&narrow);
    return column;
}

static void exchange_with_requests(int size, MPI_Datatype column)
{
    int one = 1, sum = 0;
    for (int i = 0; i < TURNS; i++) {
        exchange_with_request(size, column);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        judge(sum == size, "a sum");
    }
}

int main(int argc, char **argv)
{
    int size;
    corner_open(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype column = make_column();
    int turns = argc > 1 ? (int)strtol(argv[1], NULL, 10) : TURNS;
    if (argc == 1)
        exchange_with_requests(size, column);
    for (int i = 0; i < turns; i++)
        exchange_of_one_type(size, column);
    MPI_Type_free(&column);
    return corner_close();
}
