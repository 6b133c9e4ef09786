/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that are MPI's alone, but move data of derived types, too: the report counts them
 * (report/native.c). All are of MPI 3, which both libraries declare; one that a library was built
 * without is not missed.
 */
#ifndef WEFT_MPI_LIBRARY_COUNTED_H
#define WEFT_MPI_LIBRARY_COUNTED_H

/* Those that we also call. */
#define WEFT_MPI_CALLS_NEEDED_AND_COUNTED(X)                                                      \
    X(Allgather)                                                                                  \
    X(Bcast)                                                                                      \
    X(Gather)                                                                                     \
    X(Gatherv)

/* Those that we do, or have a part in, if we can (collective/, staged/). */
#define WEFT_MPI_CALLS_SHARED_UNNEEDED(X)                                                         \
    X(Accumulate)                                                                                 \
    X(Allgatherv)                                                                                 \
    X(Alltoall)                                                                                   \
    X(Alltoallv)                                                                                  \
    X(Alltoallw)                                                                                  \
    X(File_iread)                                                                                 \
    X(File_iread_all)                                                                             \
    X(File_iread_at)                                                                              \
    X(File_iread_at_all)                                                                          \
    X(File_iread_shared)                                                                          \
    X(File_iwrite)                                                                                \
    X(File_iwrite_all)                                                                            \
    X(File_iwrite_at)                                                                             \
    X(File_iwrite_at_all)                                                                         \
    X(File_iwrite_shared)                                                                         \
    X(File_read)                                                                                  \
    X(File_read_all)                                                                              \
    X(File_read_all_begin)                                                                        \
    X(File_read_at)                                                                               \
    X(File_read_at_all)                                                                           \
    X(File_read_at_all_begin)                                                                     \
    X(File_read_ordered)                                                                          \
    X(File_read_ordered_begin)                                                                    \
    X(File_read_shared)                                                                           \
    X(File_write)                                                                                 \
    X(File_write_all)                                                                             \
    X(File_write_all_begin)                                                                       \
    X(File_write_at)                                                                              \
    X(File_write_at_all)                                                                          \
    X(File_write_at_all_begin)                                                                    \
    X(File_write_ordered)                                                                         \
    X(File_write_ordered_begin)                                                                   \
    X(File_write_shared)                                                                          \
    X(Get)                                                                                        \
    X(Iallgather)                                                                                 \
    X(Iallgatherv)                                                                                \
    X(Ialltoall)                                                                                  \
    X(Ialltoallv)                                                                                 \
    X(Ialltoallw)                                                                                 \
    X(Ibcast)                                                                                     \
    X(Igather)                                                                                    \
    X(Igatherv)                                                                                   \
    X(Ineighbor_allgather)                                                                        \
    X(Ineighbor_allgatherv)                                                                       \
    X(Ineighbor_alltoall)                                                                         \
    X(Ineighbor_alltoallv)                                                                        \
    X(Ineighbor_alltoallw)                                                                        \
    X(Iscatter)                                                                                   \
    X(Iscatterv)                                                                                  \
    X(Neighbor_allgather)                                                                         \
    X(Neighbor_allgatherv)                                                                        \
    X(Neighbor_alltoall)                                                                          \
    X(Neighbor_alltoallv)                                                                         \
    X(Neighbor_alltoallw)                                                                         \
    X(Put)                                                                                        \
    X(Raccumulate)                                                                                \
    X(Rget)                                                                                       \
    X(Rput)                                                                                       \
    X(Scatter)                                                                                    \
    X(Scatterv)
#define WEFT_MPI_CALLS_SHARED(X)                                                                  \
    WEFT_MPI_CALLS_NEEDED_AND_COUNTED(X) WEFT_MPI_CALLS_SHARED_UNNEEDED(X)

#define WEFT_MPI_CALLS_ONLY_COUNTED(X)                                                            \
    WEFT_MPI_CALLS_SHARED_UNNEEDED(X)                                                             \
    X(Get_accumulate)                                                                             \
    X(Rget_accumulate)

#define WEFT_MPI_CALLS_COUNTED(X)                                                                 \
    WEFT_MPI_CALLS_NEEDED_AND_COUNTED(X) WEFT_MPI_CALLS_ONLY_COUNTED(X)

/* What begins, ends or changes what we have a part in. */
#define WEFT_MPI_CALLS_ENDING(X)                                                                  \
    X(File_close)                                                                                 \
    X(File_read_all_end)                                                                          \
    X(File_read_at_all_end)                                                                       \
    X(File_read_ordered_end)                                                                      \
    X(File_set_view)                                                                              \
    X(File_write_all_end)                                                                         \
    X(File_write_at_all_end)                                                                      \
    X(File_write_ordered_end)                                                                     \
    X(Win_allocate_shared)                                                                        \
    X(Win_complete)                                                                               \
    X(Win_fence)                                                                                  \
    X(Win_flush)                                                                                  \
    X(Win_flush_all)                                                                              \
    X(Win_flush_local)                                                                            \
    X(Win_flush_local_all)                                                                        \
    X(Win_free)                                                                                   \
    X(Win_shared_query)                                                                           \
    X(Win_unlock)                                                                                 \
    X(Win_unlock_all)

/* For the sake of counting. */
#define WEFT_MPI_CALLS_ASKED(X)                                                                   \
    X(Cart_get)                                                                                   \
    X(Cart_shift)                                                                                 \
    X(Cartdim_get)                                                                                \
    X(Comm_remote_size)                                                                           \
    X(Dist_graph_neighbors)                                                                       \
    X(Dist_graph_neighbors_count)                                                                 \
    X(Graph_neighbors_count)                                                                      \
    X(Topo_test)                                                                                  \
    X(Type_get_name)

#endif
