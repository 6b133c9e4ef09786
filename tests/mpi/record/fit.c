/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpirun -n 2 fit: what messages cost here, as keys of `weft sim goal`. The overhead is the time
 * that a sender of short messages is busy for, the latency what is left of half a round trip; bytes
 * cost what long messages take longer. Each is the median of many.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 1001, SHORT = 1, LONG = 1 << 20, BURST = 16 };

static char data[LONG];
static int rank;

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare);
    return times[count / 2];
}

/* Nanoseconds of half a round trip. */
static double one_way(int bytes, int rounds)
{
    static double times[ROUNDS];
    for (int i = 0; i < rounds; i++) {
        double begin = MPI_Wtime();
        if (rank == 0)
            MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(data, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        times[i] = (MPI_Wtime() - begin) * 1e9 / 2;
    }
    return median(times, rounds);
}

/* Nanoseconds that a sender of a short message is busy for. */
static double overhead(void)
{
    static double times[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double begin = MPI_Wtime();
        for (int j = 0; j < BURST; j++)
            if (rank == 0)
                MPI_Send(data, SHORT, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            else
                MPI_Recv(data, SHORT, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        times[i] = (MPI_Wtime() - begin) * 1e9 / BURST;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return median(times, ROUNDS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(data, 1, sizeof data);
    double busy = overhead(), near = one_way(SHORT, ROUNDS), far = one_way(LONG, 101);
    double latency = near > 2 * busy ? near - 2 * busy : 0;
    if (rank == 0)
        printf("latency = %.0f ns\noverhead = %.0f ns\ngap = %.0f ns\ngap-per-byte = %.3f ns\n",
               latency, busy, busy, (far - near) / LONG);
    MPI_Finalize();
    return 0;
}
