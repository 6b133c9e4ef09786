/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that sends columns to itself, in every communicator that it is alone in, and tests and
 * waits for them in several ways. */
#include "corner.h"

#define MOST_ROWS 60000

static double out[2 * MOST_ROWS], in[2 * MOST_ROWS];

static void finish(MPI_Request *requests, int way)
{
    int done = 0, index;
    switch (way) {
    case 0:
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        while (!done)
            MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
        break;
    default:
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    }
}

static void exchange(MPI_Comm comm, int rows, int way)
{
    MPI_Datatype column = column_of(rows, MPI_DOUBLE);
    MPI_Request requests[2];
    char what[100];
    for (int i = 0; i < rows; i++)
        out[2 * i] = value_of(i), in[2 * i] = 0;
    int self, done;
    MPI_Comm_rank(comm, &self);
    MPI_Irecv(in, 1, column, self, way, comm, &requests[0]);
    MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
    MPI_Isend(out, 1, column, self, way, comm, &requests[1]);
    finish(requests, way);
    snprintf(what, sizeof what, "%d rows to itself, way %d", rows, way);
    judge(has_column(in, rows, 2), what);
    MPI_Sendrecv(out, 1, column, self, way, in, rows, MPI_DOUBLE, self, way, comm,
                 MPI_STATUS_IGNORE);
    judge(has_column(in, rows, 1), "MPI_Sendrecv with itself");
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    corner_open(&argc, &argv);
    MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    for (int c = 0; c < 2; c++)
        for (int rows = 4; rows <= MOST_ROWS; rows *= 11)
            for (int way = 0; way < 3; way++)
                exchange(comms[c], rows, way);
    return corner_close();
}
