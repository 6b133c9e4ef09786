/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Non-contiguous data by calls that are MPI's alone: collectives, one-sided communication and
 * files. Each is checked; how often it is called is for the report to tell.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 64, WIDTH = 3, MOST = 4, TURNS = 2 };

static int rank, size, mistakes;
static int matrix[MOST][ROWS * WIDTH], other[MOST][ROWS * WIDTH];
static MPI_Datatype column; /* of one of the matrices */

static void fill(void)
{
    memset(other, 0, sizeof other);
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < ROWS; j++)
            matrix[i][WIDTH * j] = 1000 * rank + 100 * i + j;
}

/* Whether column `at` of `other` is what process `from` has in its column `there`. */
static void check(int at, int from, int there)
{
    for (int j = 0; j < ROWS; j++)
        mistakes += other[at][WIDTH * j] != 1000 * from + 100 * there + j;
}

static void exchange_all(void)
{
    int counts[MOST], places[MOST];
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    fill();
    MPI_Alltoallv(matrix, counts, places, column, other, counts, places, column, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        check(i, i, rank);
}

static void broadcast(void)
{
    fill();
    if (rank == 0)
        memcpy(other, matrix, sizeof other);
    MPI_Bcast(other, 1, column, 0, MPI_COMM_WORLD);
    check(0, 0, 0);
}

static void gather(void)
{
    MPI_Request request;
    fill();
    MPI_Igather(matrix, 1, column, other, 1, column, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < size && rank == 0; i++)
        check(i, i, 0);
}

static void put(void)
{
    MPI_Win window;
    fill();
    MPI_Win_create(other, sizeof other, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(matrix, 1, column, (rank + 1) % size, 0, 1, column, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    check(0, (rank + size - 1) % size, 0);
}

static void write_file(const char *path)
{
    MPI_File file;
    MPI_Offset place = (MPI_Offset)sizeof(int) * ROWS * rank;
    fill();
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, place, matrix, 1, column, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, place, other, 1, column, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    check(0, rank, 0);
}

int main(int argc, char **argv)
{
    MPI_Datatype narrow;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(ROWS, 1, WIDTH, MPI_INT, &narrow);
    MPI_Type_create_resized(narrow, 0, sizeof matrix[0], &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < TURNS; i++) {
        exchange_all();
        broadcast();
        gather();
        put();
        write_file(argv[1]);
    }
    MPI_Type_free(&narrow);
    MPI_Type_free(&column);
    int all = 0;
    MPI_Allreduce(&mistakes, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d mistakes\n", all);
    MPI_Finalize();
    return all != 0;
}
