/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments of collectives: what is sent, and what is received. */
#ifndef WEFT_MPI_LIBRARY_SIDE_H
#define WEFT_MPI_LIBRARY_SIDE_H

#include "mpi/library/calls.h"

/* What a call is told of memory: as much for every peer, or a count and a place for each, or a
 * type, too. Places are multiples of the extent of the one type, or bytes. */
struct weft_mpi_side {
    const void *buffer;
    int64_t count;
    const int *counts;
    const int *places;
    const MPI_Aint *far; /* instead of those */
    MPI_Datatype type;
    const MPI_Datatype *types;
};

/* Parameters and arguments of calls, and such a side of them. */

#define WEFT_MPI_OUT_ONE_PARAMETERS const void *sendbuf, int sendcount, MPI_Datatype sendtype
#define WEFT_MPI_OUT_ONE_ARGUMENTS sendbuf, sendcount, sendtype
#define WEFT_MPI_OUT_ONE                                                                          \
    {                                                                                             \
        .buffer = sendbuf, .count = sendcount, .type = sendtype                                   \
    }

#define WEFT_MPI_OUT_MANY_PARAMETERS                                                              \
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype
#define WEFT_MPI_OUT_MANY_ARGUMENTS sendbuf, sendcounts, sdispls, sendtype
#define WEFT_MPI_OUT_MANY                                                                         \
    {                                                                                             \
        .buffer = sendbuf, .counts = sendcounts, .places = sdispls, .type = sendtype              \
    }

#define WEFT_MPI_OUT_TYPED_PARAMETERS                                                             \
    const void *sendbuf, const int sendcounts[], const int sdispls[],                             \
        const MPI_Datatype sendtypes[]
#define WEFT_MPI_OUT_TYPED_ARGUMENTS sendbuf, sendcounts, sdispls, sendtypes
#define WEFT_MPI_OUT_TYPED                                                                        \
    {                                                                                             \
        .buffer = sendbuf, .counts = sendcounts, .places = sdispls, .types = sendtypes            \
    }

#define WEFT_MPI_OUT_FAR_PARAMETERS                                                               \
    const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],                        \
        const MPI_Datatype sendtypes[]
#define WEFT_MPI_OUT_FAR_ARGUMENTS WEFT_MPI_OUT_TYPED_ARGUMENTS
#define WEFT_MPI_OUT_FAR                                                                          \
    {                                                                                             \
        .buffer = sendbuf, .counts = sendcounts, .far = sdispls, .types = sendtypes               \
    }

#define WEFT_MPI_IN_ONE_PARAMETERS void *recvbuf, int recvcount, MPI_Datatype recvtype
#define WEFT_MPI_IN_ONE_ARGUMENTS recvbuf, recvcount, recvtype
#define WEFT_MPI_IN_ONE                                                                           \
    {                                                                                             \
        .buffer = recvbuf, .count = recvcount, .type = recvtype                                   \
    }

#define WEFT_MPI_IN_MANY_PARAMETERS                                                               \
    void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype
#define WEFT_MPI_IN_MANY_ARGUMENTS recvbuf, recvcounts, rdispls, recvtype
#define WEFT_MPI_IN_MANY                                                                          \
    {                                                                                             \
        .buffer = recvbuf, .counts = recvcounts, .places = rdispls, .type = recvtype              \
    }

#define WEFT_MPI_IN_TYPED_PARAMETERS                                                              \
    void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[]
#define WEFT_MPI_IN_TYPED_ARGUMENTS recvbuf, recvcounts, rdispls, recvtypes
#define WEFT_MPI_IN_TYPED                                                                         \
    {                                                                                             \
        .buffer = recvbuf, .counts = recvcounts, .places = rdispls, .types = recvtypes            \
    }

#define WEFT_MPI_IN_FAR_PARAMETERS                                                                \
    void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[]
#define WEFT_MPI_IN_FAR_ARGUMENTS WEFT_MPI_IN_TYPED_ARGUMENTS
#define WEFT_MPI_IN_FAR                                                                           \
    {                                                                                             \
        .buffer = recvbuf, .counts = recvcounts, .far = rdispls, .types = recvtypes               \
    }

#endif
