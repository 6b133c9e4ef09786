/* SPDX-License-Identifier: BSD-3-Clause */
/* A little of everything, on three ranks: run.sh knows what a record of it must say. */
#include <mpi.h>

#include <string.h>

enum { MOST = 64 };

static int rank, size;
static double data[MOST * MOST], other[MOST * MOST];

static void send_column_around(void)
{
    MPI_Datatype column;
    MPI_Request requests[2];
    MPI_Type_vector(MOST, 1, MOST, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Irecv(other, 1, column, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, 1, column, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&column);
}

/* The receives are in the other order than the sends: only the communicators tell them apart. */
static void send_by_two_communicators(void)
{
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) {
        MPI_Send(data, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
        MPI_Send(data, 2, MPI_DOUBLE, 1, 7, copy);
    } else if (rank == 1) {
        MPI_Irecv(data, 2, MPI_DOUBLE, 0, 7, copy, &request);
        MPI_Recv(other, MOST, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&copy);
}

static void go_on_during_a_barrier(void)
{
    MPI_Request barrier;
    int is_over = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Sendrecv(data, 5, MPI_CHAR, rank == 0 ? 2 : MPI_PROC_NULL, 1, other, 5, MPI_CHAR,
                 rank == 2 ? 0 : MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!is_over)
        MPI_Test(&barrier, &is_over, MPI_STATUS_IGNORE);
}

static void send_again(void)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Send_init(data, 3, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request);
    else if (rank == 1)
        MPI_Recv_init(other, 9, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &request);
    for (int i = 0; rank < 2 && i < 2; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank < 2)
        MPI_Request_free(&request);
}

/* There is no communicator then, whatever the variable holds. */
static void fail_to_make_a_communicator(void)
{
    MPI_Comm none;
    const int remain[] = {1};
    memset(&none, 1, sizeof none);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Cart_sub(MPI_COMM_WORLD, remain, &none);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    send_column_around();
    send_by_two_communicators();
    go_on_during_a_barrier();
    send_again();
    fail_to_make_a_communicator();
    MPI_Bcast(data, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Allreduce(data, other, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gather(data, 1, MPI_DOUBLE, other, 1, MPI_DOUBLE, 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
