/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments of collectives: what is sent, and what is received. */
#ifndef WEFT_MPI_LIBRARY_SIDE_H
#define WEFT_MPI_LIBRARY_SIDE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* What a call is told of memory: as much for every peer, or a count and a place for each, or a
 * type, too. Places are multiples of the extent of the one type, or bytes. */
struct weft_mpi_side {
    const void *buffer;
    int64_t count;
    bool is_same; /* to every peer the same memory */
    const int *counts;
    const MPI_Count *large_counts; /* instead of those */
    const int *places;
    const MPI_Aint *far; /* instead of those */
    MPI_Datatype type;
    bool is_typed; /* says the call, which all processes share: who has no peers gives no list */
    const MPI_Datatype *types;
};

static inline bool weft_mpi_side_is_varied(const struct weft_mpi_side *side)
{
    return side->counts || side->large_counts;
}

static inline int64_t weft_mpi_side_count(const struct weft_mpi_side *side, int peer)
{
    if (side->large_counts)
        return side->large_counts[peer];
    return side->counts ? side->counts[peer] : side->count;
}

/* In elements of the one type, or bytes. */
static inline int64_t weft_mpi_side_place(const struct weft_mpi_side *side, int peer)
{
    if (side->far)
        return side->far[peer];
    if (side->places)
        return side->places[peer];
    return side->is_same ? 0 : peer * side->count;
}

static inline MPI_Datatype weft_mpi_side_type(const struct weft_mpi_side *side, int peer)
{
    return side->types ? side->types[peer] : side->type;
}

/* Parameters and arguments of calls, and such a side of them. SIZE is that of their numbers: INT,
 * or LARGE in calls with _c. */

#define WEFT_MPI_INT_COUNT int
#define WEFT_MPI_INT_PLACE int
#define WEFT_MPI_INT_COUNTS counts
#define WEFT_MPI_INT_PLACES places
#define WEFT_MPI_LARGE_COUNT MPI_Count
#define WEFT_MPI_LARGE_PLACE MPI_Aint
#define WEFT_MPI_LARGE_COUNTS large_counts
#define WEFT_MPI_LARGE_PLACES far

#define WEFT_MPI_OUT_ONE_PARAMETERS(SIZE)                                                         \
    const void *sendbuf, WEFT_MPI_##SIZE##_COUNT sendcount, MPI_Datatype sendtype
#define WEFT_MPI_OUT_ONE_ARGUMENTS sendbuf, sendcount, sendtype
#define WEFT_MPI_OUT_ONE(SIZE)                                                                    \
    {                                                                                             \
        .buffer = sendbuf, .count = sendcount, .type = sendtype                                   \
    }

#define WEFT_MPI_OUT_SAME_PARAMETERS(SIZE) WEFT_MPI_OUT_ONE_PARAMETERS(SIZE)
#define WEFT_MPI_OUT_SAME_ARGUMENTS WEFT_MPI_OUT_ONE_ARGUMENTS
#define WEFT_MPI_OUT_SAME(SIZE)                                                                   \
    {                                                                                             \
        .buffer = sendbuf, .count = sendcount, .type = sendtype, .is_same = true                  \
    }

#define WEFT_MPI_OUT_MANY_PARAMETERS(SIZE)                                                        \
    const void *sendbuf, const WEFT_MPI_##SIZE##_COUNT sendcounts[],                              \
        const WEFT_MPI_##SIZE##_PLACE sdispls[], MPI_Datatype sendtype
#define WEFT_MPI_OUT_MANY_ARGUMENTS sendbuf, sendcounts, sdispls, sendtype
#define WEFT_MPI_OUT_MANY(SIZE)                                                                   \
    {                                                                                             \
        .buffer = sendbuf, .WEFT_MPI_##SIZE##_COUNTS = sendcounts,                                \
        .WEFT_MPI_##SIZE##_PLACES = sdispls, .type = sendtype                                     \
    }

#define WEFT_MPI_OUT_TYPED_PARAMETERS(SIZE)                                                       \
    const void *sendbuf, const WEFT_MPI_##SIZE##_COUNT sendcounts[],                              \
        const WEFT_MPI_##SIZE##_PLACE sdispls[], const MPI_Datatype sendtypes[]
#define WEFT_MPI_OUT_TYPED_ARGUMENTS sendbuf, sendcounts, sdispls, sendtypes
#define WEFT_MPI_OUT_TYPED(SIZE)                                                                  \
    {                                                                                             \
        .buffer = sendbuf, .WEFT_MPI_##SIZE##_COUNTS = sendcounts,                                \
        .WEFT_MPI_##SIZE##_PLACES = sdispls, .is_typed = true, .types = sendtypes                 \
    }

#define WEFT_MPI_OUT_FAR_PARAMETERS(SIZE)                                                         \
    const void *sendbuf, const WEFT_MPI_##SIZE##_COUNT sendcounts[], const MPI_Aint sdispls[],    \
        const MPI_Datatype sendtypes[]
#define WEFT_MPI_OUT_FAR_ARGUMENTS WEFT_MPI_OUT_TYPED_ARGUMENTS
#define WEFT_MPI_OUT_FAR(SIZE)                                                                    \
    {                                                                                             \
        .buffer = sendbuf, .WEFT_MPI_##SIZE##_COUNTS = sendcounts, .far = sdispls,                \
        .is_typed = true, .types = sendtypes                                                      \
    }

#define WEFT_MPI_IN_ONE_PARAMETERS(SIZE)                                                          \
    void *recvbuf, WEFT_MPI_##SIZE##_COUNT recvcount, MPI_Datatype recvtype
#define WEFT_MPI_IN_ONE_ARGUMENTS recvbuf, recvcount, recvtype
#define WEFT_MPI_IN_ONE(SIZE)                                                                     \
    {                                                                                             \
        .buffer = recvbuf, .count = recvcount, .type = recvtype                                   \
    }

#define WEFT_MPI_IN_MANY_PARAMETERS(SIZE)                                                         \
    void *recvbuf, const WEFT_MPI_##SIZE##_COUNT recvcounts[],                                    \
        const WEFT_MPI_##SIZE##_PLACE rdispls[], MPI_Datatype recvtype
#define WEFT_MPI_IN_MANY_ARGUMENTS recvbuf, recvcounts, rdispls, recvtype
#define WEFT_MPI_IN_MANY(SIZE)                                                                    \
    {                                                                                             \
        .buffer = recvbuf, .WEFT_MPI_##SIZE##_COUNTS = recvcounts,                                \
        .WEFT_MPI_##SIZE##_PLACES = rdispls, .type = recvtype                                     \
    }

#define WEFT_MPI_IN_TYPED_PARAMETERS(SIZE)                                                        \
    void *recvbuf, const WEFT_MPI_##SIZE##_COUNT recvcounts[],                                    \
        const WEFT_MPI_##SIZE##_PLACE rdispls[], const MPI_Datatype recvtypes[]
#define WEFT_MPI_IN_TYPED_ARGUMENTS recvbuf, recvcounts, rdispls, recvtypes
#define WEFT_MPI_IN_TYPED(SIZE)                                                                   \
    {                                                                                             \
        .buffer = recvbuf, .WEFT_MPI_##SIZE##_COUNTS = recvcounts,                                \
        .WEFT_MPI_##SIZE##_PLACES = rdispls, .is_typed = true, .types = recvtypes                 \
    }

#define WEFT_MPI_IN_FAR_PARAMETERS(SIZE)                                                          \
    void *recvbuf, const WEFT_MPI_##SIZE##_COUNT recvcounts[], const MPI_Aint rdispls[],          \
        const MPI_Datatype recvtypes[]
#define WEFT_MPI_IN_FAR_ARGUMENTS WEFT_MPI_IN_TYPED_ARGUMENTS
#define WEFT_MPI_IN_FAR(SIZE)                                                                     \
    {                                                                                             \
        .buffer = recvbuf, .WEFT_MPI_##SIZE##_COUNTS = recvcounts, .far = rdispls,                \
        .is_typed = true, .types = recvtypes                                                      \
    }

/* Who takes part: all alike, or one has all data. */
#define WEFT_MPI_EQUAL_PARAMETERS MPI_Comm comm
#define WEFT_MPI_EQUAL_ARGUMENTS comm
#define WEFT_MPI_ROOTED_PARAMETERS int root, MPI_Comm comm
#define WEFT_MPI_ROOTED_ARGUMENTS root, comm

/* The collectives with two sides: ROW(one that waits, one that answers with a request, the sides,
 * who takes part, and what more is given here). */
#define WEFT_MPI_GATHERS(ROW, more)                                                               \
    ROW(Gather, Igather, OUT_ONE, IN_ONE, ROOTED, more)                                           \
    ROW(Gatherv, Igatherv, OUT_ONE, IN_MANY, ROOTED, more)                                        \
    ROW(Scatter, Iscatter, OUT_ONE, IN_ONE, ROOTED, more)                                         \
    ROW(Scatterv, Iscatterv, OUT_MANY, IN_ONE, ROOTED, more)                                      \
    ROW(Allgather, Iallgather, OUT_ONE, IN_ONE, EQUAL, more)                                      \
    ROW(Allgatherv, Iallgatherv, OUT_ONE, IN_MANY, EQUAL, more)
#define WEFT_MPI_EXCHANGES(ROW, more)                                                             \
    ROW(Alltoall, Ialltoall, OUT_ONE, IN_ONE, EQUAL, more)                                        \
    ROW(Alltoallv, Ialltoallv, OUT_MANY, IN_MANY, EQUAL, more)                                    \
    ROW(Alltoallw, Ialltoallw, OUT_TYPED, IN_TYPED, EQUAL, more)
#define WEFT_MPI_NEIGHBOURS(ROW, more)                                                            \
    ROW(Neighbor_allgather, Ineighbor_allgather, OUT_SAME, IN_ONE, EQUAL, more)                   \
    ROW(Neighbor_allgatherv, Ineighbor_allgatherv, OUT_SAME, IN_MANY, EQUAL, more)                \
    ROW(Neighbor_alltoall, Ineighbor_alltoall, OUT_ONE, IN_ONE, EQUAL, more)                      \
    ROW(Neighbor_alltoallv, Ineighbor_alltoallv, OUT_MANY, IN_MANY, EQUAL, more)                  \
    ROW(Neighbor_alltoallw, Ineighbor_alltoallw, OUT_FAR, IN_FAR, EQUAL, more)

#endif
