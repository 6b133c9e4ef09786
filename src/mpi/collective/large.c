/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of large counts, which are MPI's: they go past us until offload.c or occasion.c steps
 * in. A process may use them where another uses the one whose counts are of type int, so what all
 * processes count or agree on must know both.
 */
#include "mpi/state.h"

#define DEFINE(name, parameters, arguments)                                                       \
    int MPI_##name parameters                                                                     \
    {                                                                                             \
        return mpi.name arguments;                                                                \
    }                                                                                             \
    WEFT_MPI_RECORDED_ALSO_PMPI(name)

DEFINE(Reduce_c,
       (const void *from, void *to, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
        MPI_Comm comm),
       (from, to, count, type, op, root, comm));
DEFINE(Allreduce_c,
       (const void *from, void *to, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
       (from, to, count, type, op, comm));
DEFINE(Iallreduce_c,
       (const void *from, void *to, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
        MPI_Request *request),
       (from, to, count, type, op, comm, request));
