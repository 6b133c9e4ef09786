/* SPDX-License-Identifier: BSD-3-Clause */
/* Thousands of messages arrive before the receiver asks for any, and are asked for in another
 * order than they came. With small receive blocks the flow control of the MTL must stop and
 * restart the senders, and lose or reorder nothing. */
#include "program.h"

#define SHORT_COUNT 6000
#define LONG_COUNT 200
#define LONG_LENGTH 5000

static void send_short(void)
{
    for (int i = 0; i < SHORT_COUNT; i++) {
        int value[2] = {rank, i};
        MPI_Send(value, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
}

static void receive_short(void)
{
    for (int i = 0; i < SHORT_COUNT; i++)
        for (int source = size - 1; source > 0; source--) {
            int value[2];
            MPI_Recv(value, 2, MPI_INT, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(value[0] == source && value[1] == i);
        }
}

static void send_long(void)
{
    MPI_Request requests[LONG_COUNT];
    unsigned char *buffer = malloc(LONG_LENGTH);
    fill(buffer, LONG_LENGTH, (unsigned)rank);
    for (int i = 0; i < LONG_COUNT; i++)
        MPI_Isend(buffer, LONG_LENGTH, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(LONG_COUNT, requests, MPI_STATUSES_IGNORE);
    free(buffer);
}

static void receive_long(void)
{
    unsigned char *buffer = malloc(LONG_LENGTH);
    for (int i = 0; i < LONG_COUNT; i++)
        for (int source = size - 1; source > 0; source--) {
            memset(buffer, 0, LONG_LENGTH);
            MPI_Recv(buffer, LONG_LENGTH, MPI_BYTE, source, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(is_filled(buffer, LONG_LENGTH, (unsigned)source));
        }
    free(buffer);
}

/* By hand: a process that waits in a collective operation of coll/portals4 takes no part in the
 * recovery of the flow control (README.md). */
static void meet(void)
{
    for (int i = 1; rank == 0 && i < size; i++)
        MPI_Send(NULL, 0, MPI_BYTE, i, 3, MPI_COMM_WORLD);
    if (rank)
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Computes without a call of MPI while the others send. */
static void look_away(double seconds)
{
    double until = MPI_Wtime() + seconds;
    while (MPI_Wtime() < until)
        continue;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank == 0) {
        look_away(0.2);
        receive_short();
    } else {
        send_short();
    }
    meet();
    if (rank == 0) {
        look_away(0.1);
        receive_long();
    } else {
        send_long();
    }
    return finish();
}
