/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages with pieces that are long enough to be read where they lie, from rank 0 to rank 1, at
 * other places there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK (64 * 1024 / (int)sizeof(int))
#define BLOCKS 4
#define MESSAGES 50

static int rank, mistakes;

static MPI_Datatype blocks_apart(int stride)
{
    MPI_Datatype type;
    MPI_Type_vector(BLOCKS, BLOCK, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static int is_gap(int place, int stride)
{
    return place % stride >= BLOCK;
}

static void fill(int *memory, int stride, int message)
{
    for (int i = 0, k = 0; i < BLOCKS * stride; i++)
        memory[i] = is_gap(i, stride) ? -1 : message + k++;
}

static void check(const int *memory, int stride, int message)
{
    for (int i = 0, k = 0; i < BLOCKS * stride; i++)
        mistakes += memory[i] != (is_gap(i, stride) ? -1 : message + k++);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int stride = rank == 0 ? 2 * BLOCK : BLOCK + 100;
    MPI_Datatype type = blocks_apart(stride);
    int *memory = malloc(sizeof *memory * BLOCKS * stride);
    for (int message = 0; message < MESSAGES && rank < 2; message++) {
        fill(memory, stride, rank == 0 ? message : -message);
        if (rank == 0)
            MPI_Send(memory, 1, type, 1, message, MPI_COMM_WORLD);
        else
            MPI_Recv(memory, 1, type, 0, message, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(memory, stride, message);
    }
    printf("rank %d: %d mistakes\n", rank, mistakes);
    MPI_Type_free(&type);
    free(memory);
    MPI_Finalize();
    return mistakes != 0;
}
