/* SPDX-License-Identifier: BSD-3-Clause */
/* All collectives that are recorded, on three ranks, with counts of type int or, as the argument
 * says, with larger ones: run.sh compares the two records. */
#include <mpi.h>

#include <string.h>

enum { RANKS = 3, ROOT = 1, MOST = 16 };

static int out[RANKS * MOST], in[RANKS * MOST];
static const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};

static const int counts[] = {1, 2, 3}, places[] = {0, 16, 32}, equal[] = {2, 2, 2};
static const MPI_Count large_counts[] = {1, 2, 3}, large_equal[] = {2, 2, 2};
static const MPI_Aint large_places[] = {0, 16, 32};

/* A collective, and the one that answers with a request. */
#define CALL(name, requesting, ...)                                                               \
    do {                                                                                          \
        MPI_Request request;                                                                      \
        MPI_##name(__VA_ARGS__, MPI_COMM_WORLD);                                                  \
        MPI_##requesting(__VA_ARGS__, MPI_COMM_WORLD, &request);                                  \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                    \
    } while (0)

#define CALL_ALL(_c, rank, counts, equal, places)                                                 \
    CALL(Bcast##_c, Ibcast##_c, in, 5, MPI_INT, ROOT);                                            \
    CALL(Gather##_c, Igather##_c, out, 2, MPI_INT, in, 2, MPI_INT, ROOT);                         \
    CALL(Gatherv##_c, Igatherv##_c, out, rank + 1, MPI_INT, in, counts, places, MPI_INT, ROOT);   \
    CALL(Scatter##_c, Iscatter##_c, out, 2, MPI_INT, in, 2, MPI_INT, ROOT);                       \
    CALL(Scatterv##_c, Iscatterv##_c, out, counts, places, MPI_INT, in, rank + 1, MPI_INT, ROOT); \
    CALL(Allgather##_c, Iallgather##_c, out, 4, MPI_INT, in, 4, MPI_INT);                         \
    CALL(Allgatherv##_c, Iallgatherv##_c, out, rank + 1, MPI_INT, in, counts, places, MPI_INT);   \
    CALL(Alltoall##_c, Ialltoall##_c, out, 3, MPI_INT, in, 3, MPI_INT);                           \
    CALL(Alltoallv##_c, Ialltoallv##_c, out, equal, places, MPI_INT, in, equal, places, MPI_INT); \
    CALL(Alltoallw##_c, Ialltoallw##_c, out, equal, places, types, in, equal, places, types);     \
    CALL(Allreduce##_c, Iallreduce##_c, out, in, 7, MPI_INT, MPI_SUM);                            \
    CALL(Scan##_c, Iscan##_c, out, in, 6, MPI_INT, MPI_SUM);                                      \
    CALL(Exscan##_c, Iexscan##_c, out, in, 5, MPI_INT, MPI_SUM);                                  \
    CALL(Reduce##_c, Ireduce##_c, out, in, 4, MPI_INT, MPI_SUM, ROOT);                            \
    CALL(Reduce_scatter_block##_c, Ireduce_scatter_block##_c, out, in, 3, MPI_INT, MPI_SUM);      \
    CALL(Reduce_scatter##_c, Ireduce_scatter##_c, out, in, counts, MPI_INT, MPI_SUM)

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "large") == 0) {
        CALL_ALL(_c, rank, large_counts, large_equal, large_places);
    } else {
        CALL_ALL(, rank, counts, equal, places);
    }
    MPI_Finalize();
    return 0;
}
