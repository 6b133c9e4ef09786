/* SPDX-License-Identifier: BSD-3-Clause */
/* A token goes round the ring and every process adds its rank. */
#include "program.h"

static void pass(int round, MPI_Comm comm)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size, token = round;
    if (rank == 0)
        MPI_Send(&token, 1, MPI_INT, next, round, comm);
    MPI_Recv(&token, 1, MPI_INT, last, round, comm, MPI_STATUS_IGNORE);
    if (rank == 0) {
        check(token == round + size * (size - 1) / 2);
    } else {
        token += rank;
        MPI_Send(&token, 1, MPI_INT, next, round, comm);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int round = 0; round < 100; round++)
        pass(round, MPI_COMM_WORLD);
    return finish();
}
