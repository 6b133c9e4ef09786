/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that was spawned, and knows nothing of Weft, gets a long message of gaps and sends it
 * back. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define BLOCKS 50000

static int memory[2 * BLOCKS];

static int exchange(MPI_Comm other, int is_child)
{
    MPI_Datatype column;
    int mistakes = 0;
    MPI_Type_vector(BLOCKS, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < BLOCKS && !is_child; i++)
        memory[2 * i] = i;
    if (is_child) {
        MPI_Recv(memory, 1, column, 0, 3, other, MPI_STATUS_IGNORE);
        MPI_Send(memory, 1, column, 0, 4, other);
    } else {
        MPI_Send(memory, 1, column, 0, 3, other);
        memset(memory, 0, sizeof memory);
        MPI_Recv(memory, 1, column, 0, 4, other, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < BLOCKS; i++)
        mistakes += memory[2 * i] != i || memory[2 * i + 1] != 0;
    MPI_Type_free(&column);
    return mistakes;
}

int main(int argc, char **argv)
{
    MPI_Comm parent, other;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int is_child = parent != MPI_COMM_NULL;
    if (rank > 0) {
        MPI_Finalize();
        return 0;
    }
    if (!is_child)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other,
                       MPI_ERRCODES_IGNORE);
    int mistakes = exchange(is_child ? parent : other, is_child);
    printf("%s: %d mistakes\n", is_child ? "child" : "parent", mistakes);
    MPI_Finalize();
    return mistakes != 0;
}
