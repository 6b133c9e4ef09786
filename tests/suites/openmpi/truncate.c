/* SPDX-License-Identifier: BSD-3-Clause */
/* A message that is longer than its receive fills it and no more, and the receive says so. */
#include "program.h"

static unsigned char *out, *in;

static int class_of(int result)
{
    int class = MPI_SUCCESS;
    if (result != MPI_SUCCESS)
        MPI_Error_class(result, &class);
    return class;
}

static void send_one(size_t length, int late)
{
    MPI_Request request;
    fill(out, length, 77);
    if (!late)
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(out, (int)length, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &request);
    if (late)
        MPI_Send(NULL, 0, MPI_BYTE, 1, 6, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The receive is posted first, or (`late`) when the message is known to be there, since a later
 * one has come. */
static void receive_one(size_t wanted, int late)
{
    MPI_Request request;
    in[wanted] = 0xee;
    if (late)
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, (int)wanted, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
    if (!late)
        MPI_Send(NULL, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
    check(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
    check(in[wanted] == 0xee);
}

static void truncate_one(size_t sent, size_t wanted, int late)
{
    if (rank == 0)
        send_one(sent, late);
    else
        receive_one(wanted, late);
}

/* With the argument "expected" also the case that the component gets wrong: see README.md. */
int main(int argc, char **argv)
{
    start(&argc, &argv);
    out = malloc(100000);
    in = malloc(100000);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    truncate_one(100, 50, 0);
    truncate_one(100, 50, 1);
    truncate_one(100000, 60000, 1);
    if (argc > 1 && strcmp(argv[1], "expected") == 0)
        truncate_one(100000, 60000, 0);
    free(in);
    free(out);
    return finish();
}
