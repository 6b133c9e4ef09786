/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sender whose receiver computes for a while: messages that nobody has received yet must not
 * fill the memory, neither those of sends that have returned nor those with requests.
 */
#include "corner.h"

#include <sys/resource.h>
#include <unistd.h>

enum { ROWS = 16384, BLOCK = 64, STRIDE = 2 * BLOCK, MESSAGES = 64 };

/* Mebibytes: of a message, of what may be kept of sends that have returned, and of those with
 * requests; and what MPI itself may take. */
enum { MESSAGE = ROWS * BLOCK * 8 >> 20, RETURNED = 64, REQUESTED = 256, OTHERS = 4 * MESSAGE };

static double matrix[ROWS * STRIDE];
static MPI_Datatype columns;

static long most_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss >> 10;
}

static void send_one_by_one(void)
{
    for (int i = 0; i < MESSAGES; i++)
        MPI_Send(matrix, 1, columns, 1, i, MPI_COMM_WORLD);
}

static void send_at_once(void)
{
    MPI_Request requests[MESSAGES];
    for (int i = 0; i < MESSAGES; i++)
        MPI_Isend(matrix, 1, columns, 1, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
}

static void receive_late(void)
{
    sleep(1);
    for (int i = 0; i < MESSAGES; i++) {
        memset(matrix, 0, sizeof matrix);
        MPI_Recv(matrix, 1, columns, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int is_right = 1;
        for (int row = 0; row < ROWS; row += 97)
            is_right =
                is_right && matrix[row * STRIDE] == row && matrix[row * STRIDE + BLOCK] == 0;
        judge(is_right, "the data");
    }
}

/* What was kept of the messages before stays with the C library, and is used again. */
static void run_ahead(void send(void), long bound, const char *what)
{
    long before = most_memory();
    if (rank == 0) {
        send();
        judge(most_memory() - before <= bound + OTHERS, what);
    } else {
        receive_late();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    corner_open(&argc, &argv);
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < BLOCK && rank == 0; i++)
            matrix[row * STRIDE + i] = row;
    MPI_Type_vector(ROWS, BLOCK, STRIDE, MPI_DOUBLE, &columns);
    MPI_Type_commit(&columns);
    run_ahead(send_one_by_one, RETURNED, "memory for sends that have returned");
    run_ahead(send_at_once, REQUESTED, "memory for sends with requests");
    MPI_Type_free(&columns);
    return corner_close();
}
