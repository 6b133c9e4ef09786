/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of MPI 5, as its standard gives them, but for those of tools (MPI_T_) without a
 * datatype. Each has the name with which tools stand between, too. The table in docs/mpi.md has
 * the names and headings from here (tests/mpi/calls.py).
 */
#ifndef WEFT_MPI_ABI_PROTOTYPES_H
#define WEFT_MPI_ABI_PROTOTYPES_H

#include "mpi/abi/constants.h"

#define WEFT_MPI_CALL_OF(type, name, ...)                                                         \
    type MPI_##name(__VA_ARGS__);                                                                 \
    type PMPI_##name(__VA_ARGS__)
#define WEFT_MPI_CALL(name, ...) WEFT_MPI_CALL_OF(int, name, __VA_ARGS__)

/* ---- Messages ------------------------------------------------------------------------------ */

WEFT_MPI_CALL(Bsend, const void *, int, MPI_Datatype, int, int, MPI_Comm);
WEFT_MPI_CALL(Bsend_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
WEFT_MPI_CALL(Bsend_init, const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Bsend_init_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Ibsend, const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ibsend_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Imrecv, void *, int, MPI_Datatype, MPI_Message *, MPI_Request *);
WEFT_MPI_CALL(Imrecv_c, void *, MPI_Count, MPI_Datatype, MPI_Message *, MPI_Request *);
WEFT_MPI_CALL(Irecv, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Irecv_c, void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Irsend, const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Irsend_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Isend, const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Isend_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Isendrecv, const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int,
              int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Isendrecv_c, const void *, MPI_Count, MPI_Datatype, int, int, void *, MPI_Count,
              MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Isendrecv_replace, void *, int, MPI_Datatype, int, int, int, int, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Isendrecv_replace_c, void *, MPI_Count, MPI_Datatype, int, int, int, int, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Issend, const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Issend_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Mrecv, void *, int, MPI_Datatype, MPI_Message *, MPI_Status *);
WEFT_MPI_CALL(Mrecv_c, void *, MPI_Count, MPI_Datatype, MPI_Message *, MPI_Status *);
WEFT_MPI_CALL(Recv, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
WEFT_MPI_CALL(Recv_c, void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
WEFT_MPI_CALL(Recv_init, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Recv_init_c, void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Rsend, const void *, int, MPI_Datatype, int, int, MPI_Comm);
WEFT_MPI_CALL(Rsend_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
WEFT_MPI_CALL(Rsend_init, const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Rsend_init_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Send, const void *, int, MPI_Datatype, int, int, MPI_Comm);
WEFT_MPI_CALL(Send_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
WEFT_MPI_CALL(Send_init, const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Send_init_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Sendrecv, const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int,
              int, MPI_Comm, MPI_Status *);
WEFT_MPI_CALL(Sendrecv_c, const void *, MPI_Count, MPI_Datatype, int, int, void *, MPI_Count,
              MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
WEFT_MPI_CALL(Sendrecv_replace, void *, int, MPI_Datatype, int, int, int, int, MPI_Comm,
              MPI_Status *);
WEFT_MPI_CALL(Sendrecv_replace_c, void *, MPI_Count, MPI_Datatype, int, int, int, int, MPI_Comm,
              MPI_Status *);
WEFT_MPI_CALL(Ssend, const void *, int, MPI_Datatype, int, int, MPI_Comm);
WEFT_MPI_CALL(Ssend_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
WEFT_MPI_CALL(Ssend_init, const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ssend_init_c, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
              MPI_Request *);

/* ---- Partitioned messages ------------------------------------------------------------------ */

WEFT_MPI_CALL(Precv_init, void *, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info,
              MPI_Request *);
WEFT_MPI_CALL(Psend_init, const void *, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info,
              MPI_Request *);

/* ---- Collectives --------------------------------------------------------------------------- */

WEFT_MPI_CALL(Allgather, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Allgather_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
              MPI_Comm);
WEFT_MPI_CALL(Allgather_init, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
              MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Allgather_init_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Allgatherv, const void *, int, MPI_Datatype, void *, const int[], const int[],
              MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Allgatherv_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[],
              const MPI_Aint[], MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Allgatherv_init, const void *, int, MPI_Datatype, void *, const int[], const int[],
              MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Allgatherv_init_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[],
              const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Alltoall, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Alltoall_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
              MPI_Comm);
WEFT_MPI_CALL(Alltoall_init, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
              MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Alltoall_init_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Alltoallv, const void *, const int[], const int[], MPI_Datatype, void *, const int[],
              const int[], MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Alltoallv_c, const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *,
              const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Alltoallv_init, const void *, const int[], const int[], MPI_Datatype, void *,
              const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Alltoallv_init_c, const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype,
              void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Info,
              MPI_Request *);
WEFT_MPI_CALL(Alltoallw, const void *, const int[], const int[], const MPI_Datatype[], void *,
              const int[], const int[], const MPI_Datatype[], MPI_Comm);
WEFT_MPI_CALL(Alltoallw_c, const void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[],
              void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm);
WEFT_MPI_CALL(Alltoallw_init, const void *, const int[], const int[], const MPI_Datatype[], void *,
              const int[], const int[], const MPI_Datatype[], MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Alltoallw_init_c, const void *, const MPI_Count[], const MPI_Aint[],
              const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[],
              const MPI_Datatype[], MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Bcast, void *, int, MPI_Datatype, int, MPI_Comm);
WEFT_MPI_CALL(Bcast_c, void *, MPI_Count, MPI_Datatype, int, MPI_Comm);
WEFT_MPI_CALL(Bcast_init, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Bcast_init_c, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info,
              MPI_Request *);
WEFT_MPI_CALL(Gather, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
WEFT_MPI_CALL(Gather_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
              int, MPI_Comm);
WEFT_MPI_CALL(Gather_init, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int,
              MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Gather_init_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Gatherv, const void *, int, MPI_Datatype, void *, const int[], const int[],
              MPI_Datatype, int, MPI_Comm);
WEFT_MPI_CALL(Gatherv_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[],
              const MPI_Aint[], MPI_Datatype, int, MPI_Comm);
WEFT_MPI_CALL(Gatherv_init, const void *, int, MPI_Datatype, void *, const int[], const int[],
              MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Gatherv_init_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[],
              const MPI_Aint[], MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Iallgather, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Iallgather_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
              MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Iallgatherv, const void *, int, MPI_Datatype, void *, const int[], const int[],
              MPI_Datatype, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Iallgatherv_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[],
              const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ialltoall, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Ialltoall_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
              MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ialltoallv, const void *, const int[], const int[], MPI_Datatype, void *,
              const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ialltoallv_c, const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype,
              void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ialltoallw, const void *, const int[], const int[], const MPI_Datatype[], void *,
              const int[], const int[], const MPI_Datatype[], MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ialltoallw_c, const void *, const MPI_Count[], const MPI_Aint[],
              const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[],
              const MPI_Datatype[], MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ibcast, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ibcast_c, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Igather, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Igather_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
              int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Igatherv, const void *, int, MPI_Datatype, void *, const int[], const int[],
              MPI_Datatype, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Igatherv_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[],
              const MPI_Aint[], MPI_Datatype, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Iscatter, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Iscatter_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
              int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Iscatterv, const void *, const int[], const int[], MPI_Datatype, void *, int,
              MPI_Datatype, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Iscatterv_c, const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *,
              MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Scatter, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
WEFT_MPI_CALL(Scatter_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
              int, MPI_Comm);
WEFT_MPI_CALL(Scatter_init, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int,
              MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Scatter_init_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Scatterv, const void *, const int[], const int[], MPI_Datatype, void *, int,
              MPI_Datatype, int, MPI_Comm);
WEFT_MPI_CALL(Scatterv_c, const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *,
              MPI_Count, MPI_Datatype, int, MPI_Comm);
WEFT_MPI_CALL(Scatterv_init, const void *, const int[], const int[], MPI_Datatype, void *, int,
              MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Scatterv_init_c, const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype,
              void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);

/* ---- Collectives of neighbours ------------------------------------------------------------- */

WEFT_MPI_CALL(Ineighbor_allgather, const void *, int, MPI_Datatype, void *, int, MPI_Datatype,
              MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ineighbor_allgather_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ineighbor_allgatherv, const void *, int, MPI_Datatype, void *, const int[],
              const int[], MPI_Datatype, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ineighbor_allgatherv_c, const void *, MPI_Count, MPI_Datatype, void *,
              const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ineighbor_alltoall, const void *, int, MPI_Datatype, void *, int, MPI_Datatype,
              MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ineighbor_alltoall_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ineighbor_alltoallv, const void *, const int[], const int[], MPI_Datatype, void *,
              const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ineighbor_alltoallv_c, const void *, const MPI_Count[], const MPI_Aint[],
              MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Ineighbor_alltoallw, const void *, const int[], const MPI_Aint[],
              const MPI_Datatype[], void *, const int[], const MPI_Aint[], const MPI_Datatype[],
              MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ineighbor_alltoallw_c, const void *, const MPI_Count[], const MPI_Aint[],
              const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[],
              const MPI_Datatype[], MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Neighbor_allgather, const void *, int, MPI_Datatype, void *, int, MPI_Datatype,
              MPI_Comm);
WEFT_MPI_CALL(Neighbor_allgather_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Neighbor_allgather_init, const void *, int, MPI_Datatype, void *, int, MPI_Datatype,
              MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Neighbor_allgather_init_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Neighbor_allgatherv, const void *, int, MPI_Datatype, void *, const int[],
              const int[], MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Neighbor_allgatherv_c, const void *, MPI_Count, MPI_Datatype, void *,
              const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Neighbor_allgatherv_init, const void *, int, MPI_Datatype, void *, const int[],
              const int[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Neighbor_allgatherv_init_c, const void *, MPI_Count, MPI_Datatype, void *,
              const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Info,
              MPI_Request *);
WEFT_MPI_CALL(Neighbor_alltoall, const void *, int, MPI_Datatype, void *, int, MPI_Datatype,
              MPI_Comm);
WEFT_MPI_CALL(Neighbor_alltoall_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Neighbor_alltoall_init, const void *, int, MPI_Datatype, void *, int, MPI_Datatype,
              MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Neighbor_alltoall_init_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Neighbor_alltoallv, const void *, const int[], const int[], MPI_Datatype, void *,
              const int[], const int[], MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Neighbor_alltoallv_c, const void *, const MPI_Count[], const MPI_Aint[],
              MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Neighbor_alltoallv_init, const void *, const int[], const int[], MPI_Datatype,
              void *, const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Neighbor_alltoallv_init_c, const void *, const MPI_Count[], const MPI_Aint[],
              MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm,
              MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Neighbor_alltoallw, const void *, const int[], const MPI_Aint[],
              const MPI_Datatype[], void *, const int[], const MPI_Aint[], const MPI_Datatype[],
              MPI_Comm);
WEFT_MPI_CALL(Neighbor_alltoallw_c, const void *, const MPI_Count[], const MPI_Aint[],
              const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[],
              const MPI_Datatype[], MPI_Comm);
WEFT_MPI_CALL(Neighbor_alltoallw_init, const void *, const int[], const MPI_Aint[],
              const MPI_Datatype[], void *, const int[], const MPI_Aint[], const MPI_Datatype[],
              MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Neighbor_alltoallw_init_c, const void *, const MPI_Count[], const MPI_Aint[],
              const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[],
              const MPI_Datatype[], MPI_Comm, MPI_Info, MPI_Request *);

/* ---- Reductions ---------------------------------------------------------------------------- */

WEFT_MPI_CALL(Allreduce, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
WEFT_MPI_CALL(Allreduce_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
WEFT_MPI_CALL(Allreduce_init, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
              MPI_Request *);
WEFT_MPI_CALL(Allreduce_init_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
              MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Exscan, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
WEFT_MPI_CALL(Exscan_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
WEFT_MPI_CALL(Exscan_init, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
              MPI_Request *);
WEFT_MPI_CALL(Exscan_init_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
              MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Iallreduce, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Iallreduce_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Iexscan, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Iexscan_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Ireduce, const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Ireduce_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Ireduce_scatter, const void *, void *, const int[], MPI_Datatype, MPI_Op, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Ireduce_scatter_block, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Ireduce_scatter_block_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op,
              MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Ireduce_scatter_c, const void *, void *, const MPI_Count[], MPI_Datatype, MPI_Op,
              MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Iscan, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Iscan_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
              MPI_Request *);
WEFT_MPI_CALL(Reduce, const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
WEFT_MPI_CALL(Reduce_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm);
WEFT_MPI_CALL(Reduce_init, const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm,
              MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Reduce_init_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm,
              MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Reduce_local, const void *, void *, int, MPI_Datatype, MPI_Op);
WEFT_MPI_CALL(Reduce_local_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op);
WEFT_MPI_CALL(Reduce_scatter, const void *, void *, const int[], MPI_Datatype, MPI_Op, MPI_Comm);
WEFT_MPI_CALL(Reduce_scatter_block, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
WEFT_MPI_CALL(Reduce_scatter_block_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op,
              MPI_Comm);
WEFT_MPI_CALL(Reduce_scatter_block_init, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
              MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Reduce_scatter_block_init_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op,
              MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Reduce_scatter_c, const void *, void *, const MPI_Count[], MPI_Datatype, MPI_Op,
              MPI_Comm);
WEFT_MPI_CALL(Reduce_scatter_init, const void *, void *, const int[], MPI_Datatype, MPI_Op,
              MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Reduce_scatter_init_c, const void *, void *, const MPI_Count[], MPI_Datatype, MPI_Op,
              MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Scan, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
WEFT_MPI_CALL(Scan_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
WEFT_MPI_CALL(Scan_init, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
              MPI_Request *);
WEFT_MPI_CALL(Scan_init_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
              MPI_Info, MPI_Request *);

/* ---- One-sided communication --------------------------------------------------------------- */

WEFT_MPI_CALL(Accumulate, const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
              MPI_Op, MPI_Win);
WEFT_MPI_CALL(Accumulate_c, const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
              MPI_Datatype, MPI_Op, MPI_Win);
WEFT_MPI_CALL(Compare_and_swap, const void *, const void *, void *, MPI_Datatype, int, MPI_Aint,
              MPI_Win);
WEFT_MPI_CALL(Fetch_and_op, const void *, void *, MPI_Datatype, int, MPI_Aint, MPI_Op, MPI_Win);
WEFT_MPI_CALL(Get, void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);
WEFT_MPI_CALL(Get_accumulate, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int,
              MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win);
WEFT_MPI_CALL(Get_accumulate_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win);
WEFT_MPI_CALL(Get_c, void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
              MPI_Win);
WEFT_MPI_CALL(Put, const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);
WEFT_MPI_CALL(Put_c, const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
              MPI_Win);
WEFT_MPI_CALL(Raccumulate, const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
              MPI_Op, MPI_Win, MPI_Request *);
WEFT_MPI_CALL(Raccumulate_c, const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
              MPI_Datatype, MPI_Op, MPI_Win, MPI_Request *);
WEFT_MPI_CALL(Rget, void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win,
              MPI_Request *);
WEFT_MPI_CALL(Rget_accumulate, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int,
              MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request *);
WEFT_MPI_CALL(Rget_accumulate_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
              MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win,
              MPI_Request *);
WEFT_MPI_CALL(Rget_c, void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
              MPI_Win, MPI_Request *);
WEFT_MPI_CALL(Rput, const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win,
              MPI_Request *);
WEFT_MPI_CALL(Rput_c, const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
              MPI_Datatype, MPI_Win, MPI_Request *);

/* ---- Files --------------------------------------------------------------------------------- */

WEFT_MPI_CALL(File_iread, MPI_File, void *, int, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iread_all, MPI_File, void *, int, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iread_all_c, MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iread_at, MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iread_at_all, MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iread_at_all_c, MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype,
              MPI_Request *);
WEFT_MPI_CALL(File_iread_at_c, MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype,
              MPI_Request *);
WEFT_MPI_CALL(File_iread_c, MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iread_shared, MPI_File, void *, int, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iread_shared_c, MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iwrite, MPI_File, const void *, int, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iwrite_all, MPI_File, const void *, int, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iwrite_all_c, MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iwrite_at, MPI_File, MPI_Offset, const void *, int, MPI_Datatype,
              MPI_Request *);
WEFT_MPI_CALL(File_iwrite_at_all, MPI_File, MPI_Offset, const void *, int, MPI_Datatype,
              MPI_Request *);
WEFT_MPI_CALL(File_iwrite_at_all_c, MPI_File, MPI_Offset, const void *, MPI_Count, MPI_Datatype,
              MPI_Request *);
WEFT_MPI_CALL(File_iwrite_at_c, MPI_File, MPI_Offset, const void *, MPI_Count, MPI_Datatype,
              MPI_Request *);
WEFT_MPI_CALL(File_iwrite_c, MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iwrite_shared, MPI_File, const void *, int, MPI_Datatype, MPI_Request *);
WEFT_MPI_CALL(File_iwrite_shared_c, MPI_File, const void *, MPI_Count, MPI_Datatype,
              MPI_Request *);
WEFT_MPI_CALL(File_read, MPI_File, void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_read_all, MPI_File, void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_read_all_begin, MPI_File, void *, int, MPI_Datatype);
WEFT_MPI_CALL(File_read_all_begin_c, MPI_File, void *, MPI_Count, MPI_Datatype);
WEFT_MPI_CALL(File_read_all_c, MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_read_at, MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_read_at_all, MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_read_at_all_begin, MPI_File, MPI_Offset, void *, int, MPI_Datatype);
WEFT_MPI_CALL(File_read_at_all_begin_c, MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype);
WEFT_MPI_CALL(File_read_at_all_c, MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype,
              MPI_Status *);
WEFT_MPI_CALL(File_read_at_c, MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_read_c, MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_read_ordered, MPI_File, void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_read_ordered_begin, MPI_File, void *, int, MPI_Datatype);
WEFT_MPI_CALL(File_read_ordered_begin_c, MPI_File, void *, MPI_Count, MPI_Datatype);
WEFT_MPI_CALL(File_read_ordered_c, MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_read_shared, MPI_File, void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_read_shared_c, MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_write, MPI_File, const void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_write_all, MPI_File, const void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_write_all_begin, MPI_File, const void *, int, MPI_Datatype);
WEFT_MPI_CALL(File_write_all_begin_c, MPI_File, const void *, MPI_Count, MPI_Datatype);
WEFT_MPI_CALL(File_write_all_c, MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_write_at, MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_write_at_all, MPI_File, MPI_Offset, const void *, int, MPI_Datatype,
              MPI_Status *);
WEFT_MPI_CALL(File_write_at_all_begin, MPI_File, MPI_Offset, const void *, int, MPI_Datatype);
WEFT_MPI_CALL(File_write_at_all_begin_c, MPI_File, MPI_Offset, const void *, MPI_Count,
              MPI_Datatype);
WEFT_MPI_CALL(File_write_at_all_c, MPI_File, MPI_Offset, const void *, MPI_Count, MPI_Datatype,
              MPI_Status *);
WEFT_MPI_CALL(File_write_at_c, MPI_File, MPI_Offset, const void *, MPI_Count, MPI_Datatype,
              MPI_Status *);
WEFT_MPI_CALL(File_write_c, MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_write_ordered, MPI_File, const void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_write_ordered_begin, MPI_File, const void *, int, MPI_Datatype);
WEFT_MPI_CALL(File_write_ordered_begin_c, MPI_File, const void *, MPI_Count, MPI_Datatype);
WEFT_MPI_CALL(File_write_ordered_c, MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_write_shared, MPI_File, const void *, int, MPI_Datatype, MPI_Status *);
WEFT_MPI_CALL(File_write_shared_c, MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Status *);

/* ---- Packing ------------------------------------------------------------------------------- */

WEFT_MPI_CALL(Pack, const void *, int, MPI_Datatype, void *, int, int *, MPI_Comm);
WEFT_MPI_CALL(Pack_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Count *,
              MPI_Comm);
WEFT_MPI_CALL(Pack_external, const char[], const void *, int, MPI_Datatype, void *, MPI_Aint,
              MPI_Aint *);
WEFT_MPI_CALL(Pack_external_c, const char[], const void *, MPI_Count, MPI_Datatype, void *,
              MPI_Count, MPI_Count *);
WEFT_MPI_CALL(Unpack, const void *, int, int *, void *, int, MPI_Datatype, MPI_Comm);
WEFT_MPI_CALL(Unpack_c, const void *, MPI_Count, MPI_Count *, void *, MPI_Count, MPI_Datatype,
              MPI_Comm);
WEFT_MPI_CALL(Unpack_external, const char[], const void *, MPI_Aint, MPI_Aint *, void *, int,
              MPI_Datatype);
WEFT_MPI_CALL(Unpack_external_c, const char[], const void *, MPI_Count, MPI_Count *, void *,
              MPI_Count, MPI_Datatype);

/* ---- Datatypes ----------------------------------------------------------------------------- */

WEFT_MPI_CALL(Type_commit, MPI_Datatype *);
WEFT_MPI_CALL(Type_contiguous, int, MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_contiguous_c, MPI_Count, MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_darray, int, int, int, const int[], const int[], const int[],
              const int[], int, MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_darray_c, int, int, int, const MPI_Count[], const int[], const int[],
              const int[], int, MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_f90_complex, int, int, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_f90_integer, int, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_f90_real, int, int, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_hindexed, int, const int[], const MPI_Aint[], MPI_Datatype,
              MPI_Datatype *);
WEFT_MPI_CALL(Type_create_hindexed_block, int, int, const MPI_Aint[], MPI_Datatype,
              MPI_Datatype *);
WEFT_MPI_CALL(Type_create_hindexed_block_c, MPI_Count, MPI_Count, const MPI_Count[], MPI_Datatype,
              MPI_Datatype *);
WEFT_MPI_CALL(Type_create_hindexed_c, MPI_Count, const MPI_Count[], const MPI_Count[],
              MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_hvector, int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_hvector_c, MPI_Count, MPI_Count, MPI_Count, MPI_Datatype,
              MPI_Datatype *);
WEFT_MPI_CALL(Type_create_indexed_block, int, int, const int[], MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_indexed_block_c, MPI_Count, MPI_Count, const MPI_Count[], MPI_Datatype,
              MPI_Datatype *);
WEFT_MPI_CALL(Type_create_resized, MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_resized_c, MPI_Datatype, MPI_Count, MPI_Count, MPI_Datatype *);
WEFT_MPI_CALL(Type_create_struct, int, const int[], const MPI_Aint[], const MPI_Datatype[],
              MPI_Datatype *);
WEFT_MPI_CALL(Type_create_struct_c, MPI_Count, const MPI_Count[], const MPI_Count[],
              const MPI_Datatype[], MPI_Datatype *);
WEFT_MPI_CALL(Type_create_subarray, int, const int[], const int[], const int[], int, MPI_Datatype,
              MPI_Datatype *);
WEFT_MPI_CALL(Type_create_subarray_c, int, const MPI_Count[], const MPI_Count[], const MPI_Count[],
              int, MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_delete_attr, MPI_Datatype, int);
WEFT_MPI_CALL(Type_dup, MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_free, MPI_Datatype *);
WEFT_MPI_CALL(Type_get_attr, MPI_Datatype, int, void *, int *);
WEFT_MPI_CALL(Type_get_contents, MPI_Datatype, int, int, int, int[], MPI_Aint[], MPI_Datatype[]);
WEFT_MPI_CALL(Type_get_contents_c, MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int[],
              MPI_Aint[], MPI_Count[], MPI_Datatype[]);
WEFT_MPI_CALL(Type_get_envelope, MPI_Datatype, int *, int *, int *, int *);
WEFT_MPI_CALL(Type_get_envelope_c, MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *,
              MPI_Count *, int *);
WEFT_MPI_CALL(Type_get_extent, MPI_Datatype, MPI_Aint *, MPI_Aint *);
WEFT_MPI_CALL(Type_get_extent_c, MPI_Datatype, MPI_Count *, MPI_Count *);
WEFT_MPI_CALL(Type_get_extent_x, MPI_Datatype, MPI_Count *, MPI_Count *);
WEFT_MPI_CALL(Type_get_name, MPI_Datatype, char *, int *);
WEFT_MPI_CALL(Type_get_true_extent, MPI_Datatype, MPI_Aint *, MPI_Aint *);
WEFT_MPI_CALL(Type_get_true_extent_c, MPI_Datatype, MPI_Count *, MPI_Count *);
WEFT_MPI_CALL(Type_get_true_extent_x, MPI_Datatype, MPI_Count *, MPI_Count *);
WEFT_MPI_CALL(Type_get_value_index, MPI_Datatype, MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_indexed, int, const int[], const int[], MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_indexed_c, MPI_Count, const MPI_Count[], const MPI_Count[], MPI_Datatype,
              MPI_Datatype *);
WEFT_MPI_CALL(Type_match_size, int, int, MPI_Datatype *);
WEFT_MPI_CALL(Type_set_attr, MPI_Datatype, int, void *);
WEFT_MPI_CALL(Type_set_name, MPI_Datatype, const char *);
WEFT_MPI_CALL(Type_size, MPI_Datatype, int *);
WEFT_MPI_CALL(Type_size_c, MPI_Datatype, MPI_Count *);
WEFT_MPI_CALL(Type_size_x, MPI_Datatype, MPI_Count *);
WEFT_MPI_CALL(Type_toint, MPI_Datatype);
WEFT_MPI_CALL(Type_vector, int, int, int, MPI_Datatype, MPI_Datatype *);
WEFT_MPI_CALL(Type_vector_c, MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype *);

/* ---- Other calls with a datatype ----------------------------------------------------------- */

WEFT_MPI_CALL(File_get_type_extent, MPI_File, MPI_Datatype, MPI_Aint *);
WEFT_MPI_CALL(File_get_type_extent_c, MPI_File, MPI_Datatype, MPI_Count *);
WEFT_MPI_CALL(File_get_view, MPI_File, MPI_Offset *, MPI_Datatype *, MPI_Datatype *, char *);
WEFT_MPI_CALL(File_set_view, MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char *,
              MPI_Info);
WEFT_MPI_CALL(Get_count, const MPI_Status *, MPI_Datatype, int *);
WEFT_MPI_CALL(Get_count_c, const MPI_Status *, MPI_Datatype, MPI_Count *);
WEFT_MPI_CALL(Get_elements, const MPI_Status *, MPI_Datatype, int *);
WEFT_MPI_CALL(Get_elements_c, const MPI_Status *, MPI_Datatype, MPI_Count *);
WEFT_MPI_CALL(Get_elements_x, const MPI_Status *, MPI_Datatype, MPI_Count *);
WEFT_MPI_CALL(Pack_external_size, const char[], int, MPI_Datatype, MPI_Aint *);
WEFT_MPI_CALL(Pack_external_size_c, const char[], MPI_Count, MPI_Datatype, MPI_Count *);
WEFT_MPI_CALL(Pack_size, int, MPI_Datatype, MPI_Comm, int *);
WEFT_MPI_CALL(Pack_size_c, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Count *);
WEFT_MPI_CALL(Status_set_elements, MPI_Status *, MPI_Datatype, int);
WEFT_MPI_CALL(Status_set_elements_c, MPI_Status *, MPI_Datatype, MPI_Count);
WEFT_MPI_CALL(Status_set_elements_x, MPI_Status *, MPI_Datatype, MPI_Count);
WEFT_MPI_CALL(T_cvar_get_info, int, char *, int *, int *, MPI_Datatype *, MPI_T_enum *, char *,
              int *, int *, int *);
WEFT_MPI_CALL(T_event_get_info, int, char *, int *, int *, MPI_Datatype[], MPI_Aint[], int *,
              MPI_T_enum *, MPI_Info *, char *, int *, int *);
WEFT_MPI_CALL(T_pvar_get_info, int, char *, int *, int *, int *, MPI_Datatype *, MPI_T_enum *,
              char *, int *, int *, int *, int *, int *);

/* ---- Calls without a datatype -------------------------------------------------------------- */

WEFT_MPI_CALL(Abi_get_fortran_booleans, int, void *, void *, int *);
WEFT_MPI_CALL(Abi_get_fortran_info, MPI_Info *);
WEFT_MPI_CALL(Abi_get_info, MPI_Info *);
WEFT_MPI_CALL(Abi_get_version, int *, int *);
WEFT_MPI_CALL(Abi_set_fortran_booleans, int, void *, void *);
WEFT_MPI_CALL(Abi_set_fortran_info, MPI_Info);
WEFT_MPI_CALL(Abort, MPI_Comm, int);
WEFT_MPI_CALL(Add_error_class, int *);
WEFT_MPI_CALL(Add_error_code, int, int *);
WEFT_MPI_CALL(Add_error_string, int, const char *);
WEFT_MPI_CALL_OF(MPI_Aint, Aint_add, MPI_Aint, MPI_Aint);
WEFT_MPI_CALL_OF(MPI_Aint, Aint_diff, MPI_Aint, MPI_Aint);
WEFT_MPI_CALL(Alloc_mem, MPI_Aint, MPI_Info, void *);
WEFT_MPI_CALL(Barrier, MPI_Comm);
WEFT_MPI_CALL(Barrier_init, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_CALL(Buffer_attach, void *, int);
WEFT_MPI_CALL(Buffer_attach_c, void *, MPI_Count);
WEFT_MPI_CALL(Buffer_detach, void *, int *);
WEFT_MPI_CALL(Buffer_detach_c, void *, MPI_Count *);
WEFT_MPI_CALL(Buffer_flush, void);
WEFT_MPI_CALL(Buffer_iflush, MPI_Request *);
WEFT_MPI_CALL(Cancel, MPI_Request *);
WEFT_MPI_CALL(Cart_coords, MPI_Comm, int, int, int[]);
WEFT_MPI_CALL(Cart_create, MPI_Comm, int, const int[], const int[], int, MPI_Comm *);
WEFT_MPI_CALL(Cart_get, MPI_Comm, int, int[], int[], int[]);
WEFT_MPI_CALL(Cart_map, MPI_Comm, int, const int[], const int[], int *);
WEFT_MPI_CALL(Cart_rank, MPI_Comm, const int[], int *);
WEFT_MPI_CALL(Cart_shift, MPI_Comm, int, int, int *, int *);
WEFT_MPI_CALL(Cart_sub, MPI_Comm, const int[], MPI_Comm *);
WEFT_MPI_CALL(Cartdim_get, MPI_Comm, int *);
WEFT_MPI_CALL(Close_port, const char *);
WEFT_MPI_CALL(Comm_accept, const char *, MPI_Info, int, MPI_Comm, MPI_Comm *);
WEFT_MPI_CALL(Comm_attach_buffer, MPI_Comm, void *, int);
WEFT_MPI_CALL(Comm_attach_buffer_c, MPI_Comm, void *, MPI_Count);
WEFT_MPI_CALL(Comm_call_errhandler, MPI_Comm, int);
WEFT_MPI_CALL(Comm_compare, MPI_Comm, MPI_Comm, int *);
WEFT_MPI_CALL(Comm_connect, const char *, MPI_Info, int, MPI_Comm, MPI_Comm *);
WEFT_MPI_CALL(Comm_create, MPI_Comm, MPI_Group, MPI_Comm *);
WEFT_MPI_CALL(Comm_create_errhandler, MPI_Comm_errhandler_function *, MPI_Errhandler *);
WEFT_MPI_CALL(Comm_create_from_group, MPI_Group, const char *, MPI_Info, MPI_Errhandler,
              MPI_Comm *);
WEFT_MPI_CALL(Comm_create_group, MPI_Comm, MPI_Group, int, MPI_Comm *);
WEFT_MPI_CALL(Comm_create_keyval, MPI_Comm_copy_attr_function *, MPI_Comm_delete_attr_function *,
              int *, void *);
WEFT_MPI_CALL(Comm_delete_attr, MPI_Comm, int);
WEFT_MPI_CALL(Comm_detach_buffer, MPI_Comm, void *, int *);
WEFT_MPI_CALL(Comm_detach_buffer_c, MPI_Comm, void *, MPI_Count *);
WEFT_MPI_CALL(Comm_disconnect, MPI_Comm *);
WEFT_MPI_CALL(Comm_dup, MPI_Comm, MPI_Comm *);
WEFT_MPI_CALL(Comm_dup_with_info, MPI_Comm, MPI_Info, MPI_Comm *);
WEFT_MPI_CALL(Comm_flush_buffer, MPI_Comm);
WEFT_MPI_CALL(Comm_free, MPI_Comm *);
WEFT_MPI_CALL(Comm_free_keyval, int *);
WEFT_MPI_CALL_OF(MPI_Comm, Comm_fromint, int);
WEFT_MPI_CALL(Comm_get_attr, MPI_Comm, int, void *, int *);
WEFT_MPI_CALL(Comm_get_errhandler, MPI_Comm, MPI_Errhandler *);
WEFT_MPI_CALL(Comm_get_info, MPI_Comm, MPI_Info *);
WEFT_MPI_CALL(Comm_get_name, MPI_Comm, char *, int *);
WEFT_MPI_CALL(Comm_get_parent, MPI_Comm *);
WEFT_MPI_CALL(Comm_group, MPI_Comm, MPI_Group *);
WEFT_MPI_CALL(Comm_idup, MPI_Comm, MPI_Comm *, MPI_Request *);
WEFT_MPI_CALL(Comm_idup_with_info, MPI_Comm, MPI_Info, MPI_Comm *, MPI_Request *);
WEFT_MPI_CALL(Comm_iflush_buffer, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Comm_join, int, MPI_Comm *);
WEFT_MPI_CALL(Comm_rank, MPI_Comm, int *);
WEFT_MPI_CALL(Comm_remote_group, MPI_Comm, MPI_Group *);
WEFT_MPI_CALL(Comm_remote_size, MPI_Comm, int *);
WEFT_MPI_CALL(Comm_set_attr, MPI_Comm, int, void *);
WEFT_MPI_CALL(Comm_set_errhandler, MPI_Comm, MPI_Errhandler);
WEFT_MPI_CALL(Comm_set_info, MPI_Comm, MPI_Info);
WEFT_MPI_CALL(Comm_set_name, MPI_Comm, const char *);
WEFT_MPI_CALL(Comm_size, MPI_Comm, int *);
WEFT_MPI_CALL(Comm_spawn, const char *, char *[], int, MPI_Info, int, MPI_Comm, MPI_Comm *, int[]);
WEFT_MPI_CALL(Comm_spawn_multiple, int, char *[], char **[], const int[], const MPI_Info[], int,
              MPI_Comm, MPI_Comm *, int[]);
WEFT_MPI_CALL(Comm_split, MPI_Comm, int, int, MPI_Comm *);
WEFT_MPI_CALL(Comm_split_type, MPI_Comm, int, int, MPI_Info, MPI_Comm *);
WEFT_MPI_CALL(Comm_test_inter, MPI_Comm, int *);
WEFT_MPI_CALL(Comm_toint, MPI_Comm);
WEFT_MPI_CALL(Dims_create, int, int, int[]);
WEFT_MPI_CALL(Dist_graph_create, MPI_Comm, int, const int[], const int[], const int[], const int[],
              MPI_Info, int, MPI_Comm *);
WEFT_MPI_CALL(Dist_graph_create_adjacent, MPI_Comm, int, const int[], const int[], int,
              const int[], const int[], MPI_Info, int, MPI_Comm *);
WEFT_MPI_CALL(Dist_graph_neighbors, MPI_Comm, int, int[], int[], int, int[], int[]);
WEFT_MPI_CALL(Dist_graph_neighbors_count, MPI_Comm, int *, int *, int *);
WEFT_MPI_CALL(Errhandler_free, MPI_Errhandler *);
WEFT_MPI_CALL_OF(MPI_Errhandler, Errhandler_fromint, int);
WEFT_MPI_CALL(Errhandler_toint, MPI_Errhandler);
WEFT_MPI_CALL(Error_class, int, int *);
WEFT_MPI_CALL(Error_string, int, char *, int *);
WEFT_MPI_CALL(File_call_errhandler, MPI_File, int);
WEFT_MPI_CALL(File_close, MPI_File *);
WEFT_MPI_CALL(File_create_errhandler, MPI_File_errhandler_function *, MPI_Errhandler *);
WEFT_MPI_CALL(File_delete, const char *, MPI_Info);
WEFT_MPI_CALL_OF(MPI_File, File_fromint, int);
WEFT_MPI_CALL(File_get_amode, MPI_File, int *);
WEFT_MPI_CALL(File_get_atomicity, MPI_File, int *);
WEFT_MPI_CALL(File_get_byte_offset, MPI_File, MPI_Offset, MPI_Offset *);
WEFT_MPI_CALL(File_get_errhandler, MPI_File, MPI_Errhandler *);
WEFT_MPI_CALL(File_get_group, MPI_File, MPI_Group *);
WEFT_MPI_CALL(File_get_info, MPI_File, MPI_Info *);
WEFT_MPI_CALL(File_get_position, MPI_File, MPI_Offset *);
WEFT_MPI_CALL(File_get_position_shared, MPI_File, MPI_Offset *);
WEFT_MPI_CALL(File_get_size, MPI_File, MPI_Offset *);
WEFT_MPI_CALL(File_open, MPI_Comm, const char *, int, MPI_Info, MPI_File *);
WEFT_MPI_CALL(File_preallocate, MPI_File, MPI_Offset);
WEFT_MPI_CALL(File_read_all_end, MPI_File, void *, MPI_Status *);
WEFT_MPI_CALL(File_read_at_all_end, MPI_File, void *, MPI_Status *);
WEFT_MPI_CALL(File_read_ordered_end, MPI_File, void *, MPI_Status *);
WEFT_MPI_CALL(File_seek, MPI_File, MPI_Offset, int);
WEFT_MPI_CALL(File_seek_shared, MPI_File, MPI_Offset, int);
WEFT_MPI_CALL(File_set_atomicity, MPI_File, int);
WEFT_MPI_CALL(File_set_errhandler, MPI_File, MPI_Errhandler);
WEFT_MPI_CALL(File_set_info, MPI_File, MPI_Info);
WEFT_MPI_CALL(File_set_size, MPI_File, MPI_Offset);
WEFT_MPI_CALL(File_sync, MPI_File);
WEFT_MPI_CALL(File_toint, MPI_File);
WEFT_MPI_CALL(File_write_all_end, MPI_File, const void *, MPI_Status *);
WEFT_MPI_CALL(File_write_at_all_end, MPI_File, const void *, MPI_Status *);
WEFT_MPI_CALL(File_write_ordered_end, MPI_File, const void *, MPI_Status *);
WEFT_MPI_CALL(Finalize, void);
WEFT_MPI_CALL(Finalized, int *);
WEFT_MPI_CALL(Free_mem, void *);
WEFT_MPI_CALL(Get_address, const void *, MPI_Aint *);
WEFT_MPI_CALL(Get_hw_resource_info, MPI_Info *);
WEFT_MPI_CALL(Get_library_version, char *, int *);
WEFT_MPI_CALL(Get_processor_name, char *, int *);
WEFT_MPI_CALL(Get_version, int *, int *);
WEFT_MPI_CALL(Graph_create, MPI_Comm, int, const int[], const int[], int, MPI_Comm *);
WEFT_MPI_CALL(Graph_get, MPI_Comm, int, int, int[], int[]);
WEFT_MPI_CALL(Graph_map, MPI_Comm, int, const int[], const int[], int *);
WEFT_MPI_CALL(Graph_neighbors, MPI_Comm, int, int, int[]);
WEFT_MPI_CALL(Graph_neighbors_count, MPI_Comm, int, int *);
WEFT_MPI_CALL(Graphdims_get, MPI_Comm, int *, int *);
WEFT_MPI_CALL(Grequest_complete, MPI_Request);
WEFT_MPI_CALL(Grequest_start, MPI_Grequest_query_function *, MPI_Grequest_free_function *,
              MPI_Grequest_cancel_function *, void *, MPI_Request *);
WEFT_MPI_CALL(Group_compare, MPI_Group, MPI_Group, int *);
WEFT_MPI_CALL(Group_difference, MPI_Group, MPI_Group, MPI_Group *);
WEFT_MPI_CALL(Group_excl, MPI_Group, int, const int[], MPI_Group *);
WEFT_MPI_CALL(Group_free, MPI_Group *);
WEFT_MPI_CALL(Group_from_session_pset, MPI_Session, const char *, MPI_Group *);
WEFT_MPI_CALL_OF(MPI_Group, Group_fromint, int);
WEFT_MPI_CALL(Group_incl, MPI_Group, int, const int[], MPI_Group *);
WEFT_MPI_CALL(Group_intersection, MPI_Group, MPI_Group, MPI_Group *);
WEFT_MPI_CALL(Group_range_excl, MPI_Group, int, int[][3], MPI_Group *);
WEFT_MPI_CALL(Group_range_incl, MPI_Group, int, int[][3], MPI_Group *);
WEFT_MPI_CALL(Group_rank, MPI_Group, int *);
WEFT_MPI_CALL(Group_size, MPI_Group, int *);
WEFT_MPI_CALL(Group_toint, MPI_Group);
WEFT_MPI_CALL(Group_translate_ranks, MPI_Group, int, const int[], MPI_Group, int[]);
WEFT_MPI_CALL(Group_union, MPI_Group, MPI_Group, MPI_Group *);
WEFT_MPI_CALL(Ibarrier, MPI_Comm, MPI_Request *);
WEFT_MPI_CALL(Improbe, int, int, MPI_Comm, int *, MPI_Message *, MPI_Status *);
WEFT_MPI_CALL(Info_create, MPI_Info *);
WEFT_MPI_CALL(Info_create_env, int, char *[], MPI_Info *);
WEFT_MPI_CALL(Info_delete, MPI_Info, const char *);
WEFT_MPI_CALL(Info_dup, MPI_Info, MPI_Info *);
WEFT_MPI_CALL(Info_free, MPI_Info *);
WEFT_MPI_CALL_OF(MPI_Info, Info_fromint, int);
WEFT_MPI_CALL(Info_get, MPI_Info, const char *, int, char *, int *);
WEFT_MPI_CALL(Info_get_nkeys, MPI_Info, int *);
WEFT_MPI_CALL(Info_get_nthkey, MPI_Info, int, char *);
WEFT_MPI_CALL(Info_get_string, MPI_Info, const char *, int *, char *, int *);
WEFT_MPI_CALL(Info_get_valuelen, MPI_Info, const char *, int *, int *);
WEFT_MPI_CALL(Info_set, MPI_Info, const char *, const char *);
WEFT_MPI_CALL(Info_toint, MPI_Info);
WEFT_MPI_CALL(Init, int *, char ***);
WEFT_MPI_CALL(Init_thread, int *, char ***, int, int *);
WEFT_MPI_CALL(Initialized, int *);
WEFT_MPI_CALL(Intercomm_create, MPI_Comm, int, MPI_Comm, int, int, MPI_Comm *);
WEFT_MPI_CALL(Intercomm_create_from_groups, MPI_Group, int, MPI_Group, int, const char *, MPI_Info,
              MPI_Errhandler, MPI_Comm *);
WEFT_MPI_CALL(Intercomm_merge, MPI_Comm, int, MPI_Comm *);
WEFT_MPI_CALL(Iprobe, int, int, MPI_Comm, int *, MPI_Status *);
WEFT_MPI_CALL(Is_thread_main, int *);
WEFT_MPI_CALL(Lookup_name, const char *, MPI_Info, char *);
WEFT_MPI_CALL_OF(MPI_Message, Message_fromint, int);
WEFT_MPI_CALL(Message_toint, MPI_Message);
WEFT_MPI_CALL(Mprobe, int, int, MPI_Comm, MPI_Message *, MPI_Status *);
WEFT_MPI_CALL(Op_commutative, MPI_Op, int *);
WEFT_MPI_CALL(Op_create, MPI_User_function *, int, MPI_Op *);
WEFT_MPI_CALL(Op_create_c, MPI_User_function_c *, int, MPI_Op *);
WEFT_MPI_CALL(Op_free, MPI_Op *);
WEFT_MPI_CALL_OF(MPI_Op, Op_fromint, int);
WEFT_MPI_CALL(Op_toint, MPI_Op);
WEFT_MPI_CALL(Open_port, MPI_Info, char *);
WEFT_MPI_CALL(Parrived, MPI_Request, int, int *);
WEFT_MPI_CALL(Pcontrol, const int, ...);
WEFT_MPI_CALL(Pready, int, MPI_Request);
WEFT_MPI_CALL(Pready_list, int, const int[], MPI_Request);
WEFT_MPI_CALL(Pready_range, int, int, MPI_Request);
WEFT_MPI_CALL(Probe, int, int, MPI_Comm, MPI_Status *);
WEFT_MPI_CALL(Publish_name, const char *, MPI_Info, const char *);
WEFT_MPI_CALL(Query_thread, int *);
WEFT_MPI_CALL(Register_datarep, const char *, MPI_Datarep_conversion_function *,
              MPI_Datarep_conversion_function *, MPI_Datarep_extent_function *, void *);
WEFT_MPI_CALL(Register_datarep_c, const char *, MPI_Datarep_conversion_function_c *,
              MPI_Datarep_conversion_function_c *, MPI_Datarep_extent_function *, void *);
WEFT_MPI_CALL(Remove_error_class, int);
WEFT_MPI_CALL(Remove_error_code, int);
WEFT_MPI_CALL(Remove_error_string, int);
WEFT_MPI_CALL(Request_free, MPI_Request *);
WEFT_MPI_CALL_OF(MPI_Request, Request_fromint, int);
WEFT_MPI_CALL(Request_get_status, MPI_Request, int *, MPI_Status *);
WEFT_MPI_CALL(Request_get_status_all, int, const MPI_Request[], int *, MPI_Status[]);
WEFT_MPI_CALL(Request_get_status_any, int, const MPI_Request[], int *, int *, MPI_Status *);
WEFT_MPI_CALL(Request_get_status_some, int, const MPI_Request[], int *, int[], MPI_Status[]);
WEFT_MPI_CALL(Request_toint, MPI_Request);
WEFT_MPI_CALL(Session_attach_buffer, MPI_Session, void *, int);
WEFT_MPI_CALL(Session_attach_buffer_c, MPI_Session, void *, MPI_Count);
WEFT_MPI_CALL(Session_call_errhandler, MPI_Session, int);
WEFT_MPI_CALL(Session_create_errhandler, MPI_Session_errhandler_function *, MPI_Errhandler *);
WEFT_MPI_CALL(Session_detach_buffer, MPI_Session, void *, int *);
WEFT_MPI_CALL(Session_detach_buffer_c, MPI_Session, void *, MPI_Count *);
WEFT_MPI_CALL(Session_finalize, MPI_Session *);
WEFT_MPI_CALL(Session_flush_buffer, MPI_Session);
WEFT_MPI_CALL_OF(MPI_Session, Session_fromint, int);
WEFT_MPI_CALL(Session_get_errhandler, MPI_Session, MPI_Errhandler *);
WEFT_MPI_CALL(Session_get_info, MPI_Session, MPI_Info *);
WEFT_MPI_CALL(Session_get_nth_pset, MPI_Session, MPI_Info, int, int *, char *);
WEFT_MPI_CALL(Session_get_num_psets, MPI_Session, MPI_Info, int *);
WEFT_MPI_CALL(Session_get_pset_info, MPI_Session, const char *, MPI_Info *);
WEFT_MPI_CALL(Session_iflush_buffer, MPI_Session, MPI_Request *);
WEFT_MPI_CALL(Session_init, MPI_Info, MPI_Errhandler, MPI_Session *);
WEFT_MPI_CALL(Session_set_errhandler, MPI_Session, MPI_Errhandler);
WEFT_MPI_CALL(Session_toint, MPI_Session);
WEFT_MPI_CALL(Start, MPI_Request *);
WEFT_MPI_CALL(Startall, int, MPI_Request[]);
WEFT_MPI_CALL(Status_get_error, const MPI_Status *, int *);
WEFT_MPI_CALL(Status_get_source, const MPI_Status *, int *);
WEFT_MPI_CALL(Status_get_tag, const MPI_Status *, int *);
WEFT_MPI_CALL(Status_set_cancelled, MPI_Status *, int);
WEFT_MPI_CALL(Status_set_error, MPI_Status *, int);
WEFT_MPI_CALL(Status_set_source, MPI_Status *, int);
WEFT_MPI_CALL(Status_set_tag, MPI_Status *, int);
WEFT_MPI_CALL(Test, MPI_Request *, int *, MPI_Status *);
WEFT_MPI_CALL(Test_cancelled, const MPI_Status *, int *);
WEFT_MPI_CALL(Testall, int, MPI_Request[], int *, MPI_Status[]);
WEFT_MPI_CALL(Testany, int, MPI_Request[], int *, int *, MPI_Status *);
WEFT_MPI_CALL(Testsome, int, MPI_Request[], int *, int[], MPI_Status[]);
WEFT_MPI_CALL(Topo_test, MPI_Comm, int *);
WEFT_MPI_CALL(Type_create_keyval, MPI_Type_copy_attr_function *, MPI_Type_delete_attr_function *,
              int *, void *);
WEFT_MPI_CALL(Type_free_keyval, int *);
WEFT_MPI_CALL_OF(MPI_Datatype, Type_fromint, int);
WEFT_MPI_CALL(Unpublish_name, const char *, MPI_Info, const char *);
WEFT_MPI_CALL(Wait, MPI_Request *, MPI_Status *);
WEFT_MPI_CALL(Waitall, int, MPI_Request[], MPI_Status[]);
WEFT_MPI_CALL(Waitany, int, MPI_Request[], int *, MPI_Status *);
WEFT_MPI_CALL(Waitsome, int, MPI_Request[], int *, int[], MPI_Status[]);
WEFT_MPI_CALL(Win_allocate, MPI_Aint, int, MPI_Info, MPI_Comm, void *, MPI_Win *);
WEFT_MPI_CALL(Win_allocate_c, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void *, MPI_Win *);
WEFT_MPI_CALL(Win_allocate_shared, MPI_Aint, int, MPI_Info, MPI_Comm, void *, MPI_Win *);
WEFT_MPI_CALL(Win_allocate_shared_c, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void *, MPI_Win *);
WEFT_MPI_CALL(Win_attach, MPI_Win, void *, MPI_Aint);
WEFT_MPI_CALL(Win_call_errhandler, MPI_Win, int);
WEFT_MPI_CALL(Win_complete, MPI_Win);
WEFT_MPI_CALL(Win_create, void *, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win *);
WEFT_MPI_CALL(Win_create_c, void *, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, MPI_Win *);
WEFT_MPI_CALL(Win_create_dynamic, MPI_Info, MPI_Comm, MPI_Win *);
WEFT_MPI_CALL(Win_create_errhandler, MPI_Win_errhandler_function *, MPI_Errhandler *);
WEFT_MPI_CALL(Win_create_keyval, MPI_Win_copy_attr_function *, MPI_Win_delete_attr_function *,
              int *, void *);
WEFT_MPI_CALL(Win_delete_attr, MPI_Win, int);
WEFT_MPI_CALL(Win_detach, MPI_Win, const void *);
WEFT_MPI_CALL(Win_fence, int, MPI_Win);
WEFT_MPI_CALL(Win_flush, int, MPI_Win);
WEFT_MPI_CALL(Win_flush_all, MPI_Win);
WEFT_MPI_CALL(Win_flush_local, int, MPI_Win);
WEFT_MPI_CALL(Win_flush_local_all, MPI_Win);
WEFT_MPI_CALL(Win_free, MPI_Win *);
WEFT_MPI_CALL(Win_free_keyval, int *);
WEFT_MPI_CALL_OF(MPI_Win, Win_fromint, int);
WEFT_MPI_CALL(Win_get_attr, MPI_Win, int, void *, int *);
WEFT_MPI_CALL(Win_get_errhandler, MPI_Win, MPI_Errhandler *);
WEFT_MPI_CALL(Win_get_group, MPI_Win, MPI_Group *);
WEFT_MPI_CALL(Win_get_info, MPI_Win, MPI_Info *);
WEFT_MPI_CALL(Win_get_name, MPI_Win, char *, int *);
WEFT_MPI_CALL(Win_lock, int, int, int, MPI_Win);
WEFT_MPI_CALL(Win_lock_all, int, MPI_Win);
WEFT_MPI_CALL(Win_post, MPI_Group, int, MPI_Win);
WEFT_MPI_CALL(Win_set_attr, MPI_Win, int, void *);
WEFT_MPI_CALL(Win_set_errhandler, MPI_Win, MPI_Errhandler);
WEFT_MPI_CALL(Win_set_info, MPI_Win, MPI_Info);
WEFT_MPI_CALL(Win_set_name, MPI_Win, const char *);
WEFT_MPI_CALL(Win_shared_query, MPI_Win, int, MPI_Aint *, int *, void *);
WEFT_MPI_CALL(Win_shared_query_c, MPI_Win, int, MPI_Aint *, MPI_Aint *, void *);
WEFT_MPI_CALL(Win_start, MPI_Group, int, MPI_Win);
WEFT_MPI_CALL(Win_sync, MPI_Win);
WEFT_MPI_CALL(Win_test, MPI_Win, int *);
WEFT_MPI_CALL(Win_toint, MPI_Win);
WEFT_MPI_CALL(Win_unlock, int, MPI_Win);
WEFT_MPI_CALL(Win_unlock_all, MPI_Win);
WEFT_MPI_CALL(Win_wait, MPI_Win);
WEFT_MPI_CALL_OF(double, Wtick, void);
WEFT_MPI_CALL_OF(double, Wtime, void);

#undef WEFT_MPI_CALL
#undef WEFT_MPI_CALL_OF

#endif
