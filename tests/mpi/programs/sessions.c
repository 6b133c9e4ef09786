/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of MPI 4 that never calls MPI_Init: columns from rank 0 to rank 1 of a communicator
 * that it makes of a session's group. */
#include <mpi.h>
#include <stdio.h>

#define ROWS 20000

static int matrix[2 * ROWS];

static int exchange(MPI_Comm comm)
{
    MPI_Datatype column;
    int rank, mistakes = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Type_vector(ROWS, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < ROWS && rank == 0; i++)
        matrix[2 * i] = i + 1;
    if (rank == 0)
        MPI_Send(matrix, 1, column, 1, 3, comm);
    else if (rank == 1)
        MPI_Recv(matrix, ROWS, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < ROWS && rank == 1; i++)
        mistakes += matrix[i] != i + 1;
    MPI_Type_free(&column);
    return mistakes;
}

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int mistakes = 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "weft.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    for (int i = 0; i < 10; i++)
        mistakes += exchange(comm);
    printf("%d mistakes\n", mistakes);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return mistakes != 0;
}
