/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that are of interest only to a record of what the program does (record/). All are of
 * MPI 3, which both libraries declare; one that a library was built without is not missed.
 */
#ifndef WEFT_MPI_LIBRARY_RECORDED_H
#define WEFT_MPI_LIBRARY_RECORDED_H

#define WEFT_MPI_CALLS_RECORDED(X)                                                                \
    X(Cart_create)                                                                                \
    X(Cart_sub)                                                                                   \
    X(Comm_dup_with_info)                                                                         \
    X(Comm_split)                                                                                 \
    X(Dist_graph_create)                                                                          \
    X(Dist_graph_create_adjacent)                                                                 \
    X(Error_class)                                                                                \
    X(Exscan)                                                                                     \
    X(Graph_create)                                                                               \
    X(Iallreduce)                                                                                 \
    X(Ibarrier)                                                                                   \
    X(Iexscan)                                                                                    \
    X(Intercomm_merge)                                                                            \
    X(Ireduce)                                                                                    \
    X(Ireduce_scatter)                                                                            \
    X(Ireduce_scatter_block)                                                                      \
    X(Iscan)                                                                                      \
    X(Reduce_scatter)                                                                             \
    X(Reduce_scatter_block)                                                                       \
    X(Scan)

#endif
