/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that make communicators: the members of each agree on its number. One that has failed may
 * have left anything instead. */
#include "mpi/record/between.h"
#include "mpi/record/identity.h"

#define RECORD_NEW(name, parameters, arguments)                                                   \
    WEFT_MPI_RECORD_ONLY(name, (WEFT_MPI_BARE parameters, MPI_Comm * newcomm),                    \
                         (WEFT_MPI_BARE arguments, newcomm),                                      \
                         if (result == MPI_SUCCESS) weft_mpi_identity_new(*newcomm);)

RECORD_NEW(Comm_dup, (MPI_Comm comm), (comm))
RECORD_NEW(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info), (comm, info))
RECORD_NEW(Comm_create, (MPI_Comm comm, MPI_Group group), (comm, group))
RECORD_NEW(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag), (comm, group, tag))
RECORD_NEW(Comm_split, (MPI_Comm comm, int color, int key), (comm, color, key))
RECORD_NEW(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info),
           (comm, type, key, info))
RECORD_NEW(Intercomm_merge, (MPI_Comm comm, int high), (comm, high))
RECORD_NEW(Cart_create,
           (MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder),
           (comm, dimensions, sizes, periods, reorder))
RECORD_NEW(Cart_sub, (MPI_Comm comm, const int remain[]), (comm, remain))
RECORD_NEW(Graph_create,
           (MPI_Comm comm, int count, const int index[], const int edges[], int reorder),
           (comm, count, index, edges, reorder))
RECORD_NEW(Dist_graph_create,
           (MPI_Comm comm, int count, const int sources[], const int degrees[],
            const int targets[], const int weights[], MPI_Info info, int reorder),
           (comm, count, sources, degrees, targets, weights, info, reorder))
RECORD_NEW(Dist_graph_create_adjacent,
           (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out,
            const int targets[], const int out_weights[], MPI_Info info, int reorder),
           (comm, in, sources, in_weights, out, targets, out_weights, info, reorder))
