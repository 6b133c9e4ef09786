/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many messages that are waited for at once, as by programs with many neighbours: the two faces of
 * an axis, all 26 cells around one, hundreds of lists of particles. An ordinary program that knows
 * nothing of Weft; neighbours.py runs it with and without. Each line it prints is how many messages
 * there are each way, bytes of one, and microseconds of one.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Messages that are measured, and times as many as a trial of many neighbours may take before. */
enum { WIDTH = 3, MESSAGES = 40000, FEWEST_EXCHANGES = 200, MOST_NEIGHBOURS = 1000 };

static struct {
    int rank, neighbours, rows;
    double *out, *in;
    MPI_Datatype column;
    MPI_Request requests[2 * MOST_NEIGHBOURS];
} job;

static void begin_all(void)
{
    size_t apart = (size_t)job.rows * WIDTH;
    for (int i = 0; i < job.neighbours; i++)
        MPI_Irecv(job.in + i * apart, 1, job.column, 1 - job.rank, i, MPI_COMM_WORLD,
                  &job.requests[i]);
    for (int i = 0; i < job.neighbours; i++)
        MPI_Isend(job.out + i * apart, 1, job.column, 1 - job.rank, i, MPI_COMM_WORLD,
                  &job.requests[job.neighbours + i]);
}

static double exchange(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    begin_all();
    MPI_Waitall(2 * job.neighbours, job.requests, MPI_STATUSES_IGNORE);
    return MPI_Wtime() - start;
}

static int by_value(const void *one, const void *two)
{
    double difference = *(const double *)one - *(const double *)two;
    return (difference > 0) - (difference < 0);
}

/* The median of the second half: the first is for Weft to find the fastest way. */
static double measure(void)
{
    int exchanges = MESSAGES / job.neighbours;
    if (exchanges < FEWEST_EXCHANGES)
        exchanges = FEWEST_EXCHANGES;
    double *times = malloc((size_t)exchanges * sizeof *times);
    if (!times)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < exchanges; i++)
        exchange();
    for (int i = 0; i < exchanges; i++)
        times[i] = exchange();
    qsort(times, (size_t)exchanges, sizeof *times, by_value);
    double median = times[exchanges / 2];
    free(times);
    return median;
}

static void print_cell(int neighbours, int rows)
{
    size_t numbers = (size_t)neighbours * (size_t)rows * WIDTH;
    job.neighbours = neighbours;
    job.rows = rows;
    job.out = calloc(numbers, sizeof(double));
    job.in = calloc(numbers, sizeof(double));
    if (!job.out || !job.in)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Type_vector(rows, 1, WIDTH, MPI_DOUBLE, &job.column);
    MPI_Type_commit(&job.column);
    double median = measure();
    if (job.rank == 0)
        printf("%d_neighbours %d %.4f\n", neighbours, rows * 8, median / neighbours * 1e6);
    MPI_Type_free(&job.column);
    free(job.out);
    free(job.in);
}

int main(int argc, char **argv)
{
    static const int neighbours[] = {2, 6, 26, 100, MOST_NEIGHBOURS}, rows[] = {32, 256, 2048};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    for (int i = 0; i < 15; i++)
        if (neighbours[i / 3] * rows[i % 3] <= 300000)
            print_cell(neighbours[i / 3], rows[i % 3]);
    MPI_Finalize();
    return 0;
}
