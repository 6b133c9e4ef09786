/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of 0 B to 16 MiB between ranks 0 and 1, expected and unexpected, standard and
 * synchronous, every byte checked. With the argument "time": latency and bandwidth instead. */
#include "program.h"

#define MOST ((size_t)16 << 20)

typedef int send_function(const void *, int, MPI_Datatype, int, int, MPI_Comm);

static unsigned char *out, *in;

static void exchange(size_t length, unsigned seed, send_function *send)
{
    int other = 1 - rank, count = (int)length, got;
    MPI_Status status;
    memset(in, 0xee, length + 1);
    fill(out, length, seed + (unsigned)rank);
    if (rank == 0) {
        send(out, count, MPI_BYTE, other, 1, MPI_COMM_WORLD);
        MPI_Recv(in, count, MPI_BYTE, other, 2, MPI_COMM_WORLD, &status);
    } else {
        MPI_Recv(in, count, MPI_BYTE, other, 1, MPI_COMM_WORLD, &status);
        send(out, count, MPI_BYTE, other, 2, MPI_COMM_WORLD);
    }
    MPI_Get_count(&status, MPI_BYTE, &got);
    check(got == count && is_filled(in, length, seed + (unsigned)other) && in[length] == 0xee);
}

/* The receive is posted long before the message is sent, or long after it has come. */
static void exchange_posted(size_t length, unsigned seed, int late)
{
    int other = 1 - rank, count = (int)length;
    MPI_Request requests[2];
    memset(in, 0xee, length + 1);
    fill(out, length, seed + (unsigned)rank);
    if (!late)
        MPI_Irecv(in, count, MPI_BYTE, other, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, other, 4, NULL, 0, MPI_BYTE, other, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Isend(out, count, MPI_BYTE, other, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, other, 4, NULL, 0, MPI_BYTE, other, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (late)
        MPI_Irecv(in, count, MPI_BYTE, other, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(is_filled(in, length, seed + (unsigned)other) && in[length] == 0xee);
}

static double measure(size_t length, int rounds)
{
    double begin = 0;
    for (int i = -rounds / 10; i < rounds; i++) {
        if (i == 0)
            begin = MPI_Wtime();
        if (rank == 0)
            MPI_Send(out, (int)length, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(in, (int)length, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(out, (int)length, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - begin) / rounds / 2;
}

static void print_speed(void)
{
    double small = measure(8, 20000), large = measure((size_t)1 << 20, 500);
    if (rank == 0)
        printf("8 B: %.2f us; 1 MiB: %.2f GB/s\n", small * 1e6, (1 << 20) / large / 1e9);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    out = malloc(MOST + 1);
    in = malloc(MOST + 1);
    memset(out, 0, MOST);
    if (argc > 1 && strcmp(argv[1], "time") == 0) {
        print_speed();
        return finish();
    }
    for (size_t length = 0; rank < 2 && length <= MOST; length = length ? length * 4 : 1) {
        exchange(length, 1, MPI_Send);
        exchange(length, 2, MPI_Ssend);
        exchange_posted(length, 3, 0);
        exchange_posted(length, 4, 1);
        for (size_t d = 0; length >= 2048 && length <= 65536 && d < 3; d++)
            exchange(length + d - 1, (unsigned)(5 + d), MPI_Send);
    }
    free(in);
    free(out);
    return finish();
}
