/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that no record has, on two ranks: absent.txt says how many of each. */
#include <mpi.h>

static int rank;
static int data[8], other[8];

static void put_and_get(void)
{
    MPI_Win window;
    MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(other, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    MPI_Put(other, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Get(other, 1, MPI_INT, 1 - rank, 2, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void ask_neighbours(void)
{
    const int sizes[] = {2}, periods[] = {1}, counts[] = {1, 1};
    const MPI_Aint places[] = {0, sizeof *data};
    const MPI_Datatype types[] = {MPI_INT, MPI_INT};
    MPI_Comm ring;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
    MPI_Neighbor_alltoall(data, 1, MPI_INT, other, 1, MPI_INT, ring);
    MPI_Ineighbor_allgather(data, 1, MPI_INT, other, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Neighbor_alltoallw(data, counts, places, types, other, counts, places, types, ring);
    MPI_Comm_free(&ring);
}

/* In a grid without rings, which Weft does itself, with a request once all have met. */
static void ask_neighbours_by_weft(void)
{
    const int sizes[] = {2}, periods[] = {0}, counts[] = {1, 1};
    const MPI_Aint places[] = {0, sizeof *data};
    const MPI_Datatype types[] = {MPI_INT, MPI_INT};
    MPI_Comm line;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &line);
    MPI_Neighbor_alltoallw(data, counts, places, types, other, counts, places, types, line);
    MPI_Ineighbor_alltoallw(data, counts, places, types, other, counts, places, types, line,
                            &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&line);
}

static void meet_the_others(void)
{
    MPI_Comm between;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 5, &between);
    MPI_Barrier(between);
    MPI_Allreduce(data, other, 1, MPI_INT, MPI_SUM, between);
    MPI_Comm_free(&between);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    put_and_get();
    ask_neighbours();
    ask_neighbours_by_weft();
    meet_the_others();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
