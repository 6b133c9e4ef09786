/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of MPI 4 that move data, or say what has become of requests. The header that we are
 * compiled with may not have them, while the library that we meet does: Open MPI 5 has
 * MPI_Isendrecv and calls itself MPI 3.1. Whoever has such a call can receive by it, so all are
 * declared here, and looked for when we are loaded.
 */
#ifndef WEFT_MPI_LIBRARY_LATER_H
#define WEFT_MPI_LIBRARY_LATER_H

#include <mpi.h>

#include "mpi/library/moves.h"
#include "mpi/library/side.h"

#define WEFT_MPI_DECLARE(name, ...)                                                               \
    int MPI_##name(__VA_ARGS__);                                                                  \
    int PMPI_##name(__VA_ARGS__)

#define WEFT_MPI_DECLARE_SEND(name)                                                               \
    WEFT_MPI_DECLARE(name, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm)
#define WEFT_MPI_DECLARE_ISEND(name)                                                              \
    WEFT_MPI_DECLARE(name, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm,             \
                     MPI_Request *)
#define WEFT_MPI_DECLARE_EXCHANGE(name, number, last)                                             \
    WEFT_MPI_DECLARE(name, const void *, number, MPI_Datatype, int, int, void *, number,          \
                     MPI_Datatype, int, int, MPI_Comm, last)
#define WEFT_MPI_DECLARE_REPLACE(name, number, last)                                              \
    WEFT_MPI_DECLARE(name, void *, number, MPI_Datatype, int, int, int, int, MPI_Comm, last)

WEFT_MPI_DECLARE_SEND(Send_c);
WEFT_MPI_DECLARE_SEND(Bsend_c);
WEFT_MPI_DECLARE_SEND(Rsend_c);
WEFT_MPI_DECLARE_SEND(Ssend_c);
WEFT_MPI_DECLARE_ISEND(Isend_c);
WEFT_MPI_DECLARE_ISEND(Ibsend_c);
WEFT_MPI_DECLARE_ISEND(Irsend_c);
WEFT_MPI_DECLARE_ISEND(Issend_c);
WEFT_MPI_DECLARE_ISEND(Send_init_c);
WEFT_MPI_DECLARE_ISEND(Bsend_init_c);
WEFT_MPI_DECLARE_ISEND(Rsend_init_c);
WEFT_MPI_DECLARE_ISEND(Ssend_init_c);
WEFT_MPI_DECLARE(Recv_c, void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
WEFT_MPI_DECLARE(Irecv_c, void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_DECLARE(Recv_init_c, void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
WEFT_MPI_DECLARE(Mrecv_c, void *, MPI_Count, MPI_Datatype, MPI_Message *, MPI_Status *);
WEFT_MPI_DECLARE(Imrecv_c, void *, MPI_Count, MPI_Datatype, MPI_Message *, MPI_Request *);
#if defined MPICH && defined WEFT_MPICH_ASKS_WITHOUT_CONST
#define WEFT_MPI_ASKED MPI_Request
#else
#define WEFT_MPI_ASKED const MPI_Request
#endif
WEFT_MPI_DECLARE(Request_get_status_all, int, WEFT_MPI_ASKED[], int *, MPI_Status[]);
WEFT_MPI_DECLARE(Request_get_status_any, int, WEFT_MPI_ASKED[], int *, int *, MPI_Status *);
WEFT_MPI_DECLARE(Request_get_status_some, int, WEFT_MPI_ASKED[], int *, int[], MPI_Status[]);
WEFT_MPI_DECLARE_EXCHANGE(Sendrecv_c, MPI_Count, MPI_Status *);
WEFT_MPI_DECLARE_EXCHANGE(Isendrecv, int, MPI_Request *);
WEFT_MPI_DECLARE_EXCHANGE(Isendrecv_c, MPI_Count, MPI_Request *);
WEFT_MPI_DECLARE_REPLACE(Sendrecv_replace_c, MPI_Count, MPI_Status *);
WEFT_MPI_DECLARE_REPLACE(Isendrecv_replace, int, MPI_Request *);
WEFT_MPI_DECLARE_REPLACE(Isendrecv_replace_c, MPI_Count, MPI_Request *);
WEFT_MPI_DECLARE(Pack_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Count *,
                 MPI_Comm);
WEFT_MPI_DECLARE(Unpack_c, const void *, MPI_Count, MPI_Count *, void *, MPI_Count, MPI_Datatype,
                 MPI_Comm);
WEFT_MPI_DECLARE(Type_get_envelope_c, MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *,
                 MPI_Count *, int *);
WEFT_MPI_DECLARE(Type_get_contents_c, MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count,
                 int *, MPI_Aint *, MPI_Count *, MPI_Datatype *);
WEFT_MPI_DECLARE(Put_c, WEFT_MPI_ORIGIN_PARAMETERS(const void *, MPI_Count),
                 WEFT_MPI_TARGET_PARAMETERS(MPI_Count), MPI_Win);
WEFT_MPI_DECLARE(Rput_c, WEFT_MPI_ORIGIN_PARAMETERS(const void *, MPI_Count),
                 WEFT_MPI_TARGET_PARAMETERS(MPI_Count), MPI_Win, MPI_Request *);
WEFT_MPI_DECLARE(Get_c, WEFT_MPI_ORIGIN_PARAMETERS(void *, MPI_Count),
                 WEFT_MPI_TARGET_PARAMETERS(MPI_Count), MPI_Win);
WEFT_MPI_DECLARE(Rget_c, WEFT_MPI_ORIGIN_PARAMETERS(void *, MPI_Count),
                 WEFT_MPI_TARGET_PARAMETERS(MPI_Count), MPI_Win, MPI_Request *);
WEFT_MPI_DECLARE(Win_allocate_shared_c, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void *, MPI_Win *);
WEFT_MPI_DECLARE(Win_shared_query_c, MPI_Win, int, MPI_Aint *, MPI_Aint *, void *);
WEFT_MPI_DECLARE(Accumulate_c, WEFT_MPI_ORIGIN_PARAMETERS(const void *, MPI_Count),
                 WEFT_MPI_TARGET_PARAMETERS(MPI_Count), MPI_Op, MPI_Win);
WEFT_MPI_DECLARE(Raccumulate_c, WEFT_MPI_ORIGIN_PARAMETERS(const void *, MPI_Count),
                 WEFT_MPI_TARGET_PARAMETERS(MPI_Count), MPI_Op, MPI_Win, MPI_Request *);

#define WEFT_MPI_DECLARE_FILE(READ, WRITE, PLACE, END)                                            \
    WEFT_MPI_DECLARE(READ##_c, WEFT_MPI_FILE_PARAMETERS(PLACE, void *, MPI_Count, END));          \
    WEFT_MPI_DECLARE(WRITE##_c, WEFT_MPI_FILE_PARAMETERS(PLACE, const void *, MPI_Count, END));
#define WEFT_MPI_DECLARE_SPLIT(READ, WRITE, PLACE)                                                \
    WEFT_MPI_DECLARE_FILE(READ##_begin, WRITE##_begin, PLACE, BEGINS)
WEFT_MPI_FILE_CALLS(WEFT_MPI_DECLARE_FILE)
WEFT_MPI_SPLIT_FILE_CALLS(WEFT_MPI_DECLARE_SPLIT)
#undef WEFT_MPI_DECLARE_FILE
#undef WEFT_MPI_DECLARE_SPLIT

/* Large counts, and persistent requests. */
#define WEFT_MPI_DECLARE_LARGE(name, requesting, OUT, IN, WHO, DECLARE)                           \
    DECLARE(name##_c, WEFT_MPI_##OUT##_PARAMETERS(LARGE), WEFT_MPI_##IN##_PARAMETERS(LARGE),      \
            WEFT_MPI_##WHO##_PARAMETERS);                                                         \
    DECLARE(requesting##_c, WEFT_MPI_##OUT##_PARAMETERS(LARGE),                                   \
            WEFT_MPI_##IN##_PARAMETERS(LARGE), WEFT_MPI_##WHO##_PARAMETERS, MPI_Request *);
#define WEFT_MPI_DECLARE_PERSISTENT(name, requesting, OUT, IN, WHO, DECLARE)                      \
    DECLARE(name##_init, WEFT_MPI_##OUT##_PARAMETERS(INT), WEFT_MPI_##IN##_PARAMETERS(INT),       \
            WEFT_MPI_##WHO##_PARAMETERS, MPI_Info, MPI_Request *);                                \
    DECLARE(name##_init_c, WEFT_MPI_##OUT##_PARAMETERS(LARGE), WEFT_MPI_##IN##_PARAMETERS(LARGE), \
            WEFT_MPI_##WHO##_PARAMETERS, MPI_Info, MPI_Request *);
WEFT_MPI_GATHERS(WEFT_MPI_DECLARE_LARGE, WEFT_MPI_DECLARE)
WEFT_MPI_EXCHANGES(WEFT_MPI_DECLARE_LARGE, WEFT_MPI_DECLARE)
WEFT_MPI_NEIGHBOURS(WEFT_MPI_DECLARE_LARGE, WEFT_MPI_DECLARE)
WEFT_MPI_GATHERS(WEFT_MPI_DECLARE_PERSISTENT, WEFT_MPI_DECLARE)
WEFT_MPI_EXCHANGES(WEFT_MPI_DECLARE_PERSISTENT, WEFT_MPI_DECLARE)
WEFT_MPI_NEIGHBOURS(WEFT_MPI_DECLARE_PERSISTENT, WEFT_MPI_DECLARE)
WEFT_MPI_DECLARE(Bcast_c, void *, MPI_Count, MPI_Datatype, int, MPI_Comm);
WEFT_MPI_DECLARE(Ibcast_c, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request *);
WEFT_MPI_DECLARE(Bcast_init, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
WEFT_MPI_DECLARE(Bcast_init_c, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info,
                 MPI_Request *);
WEFT_MPI_DECLARE(Allreduce_init, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
                 MPI_Info, MPI_Request *);

#define WEFT_MPI_LARGE_ROW(name, requesting, OUT, IN, WHO, X) X(name##_c) X(requesting##_c)
#define WEFT_MPI_PERSISTENT_ROW(name, requesting, OUT, IN, WHO, X) X(name##_init) X(name##_init_c)

/* Reductions: what all processes agree on, a record and the NICs must know both sizes. */
#define WEFT_MPI_REDUCTIONS(ROW, more)                                                            \
    ROW(Allreduce, Iallreduce, MPI_Count, EQUAL, more)                                            \
    ROW(Exscan, Iexscan, MPI_Count, EQUAL, more)                                                  \
    ROW(Reduce, Ireduce, MPI_Count, ROOTED, more)                                                 \
    ROW(Reduce_scatter, Ireduce_scatter, const MPI_Count *, EQUAL, more)                          \
    ROW(Reduce_scatter_block, Ireduce_scatter_block, MPI_Count, EQUAL, more)                      \
    ROW(Scan, Iscan, MPI_Count, EQUAL, more)
#define WEFT_MPI_DECLARE_REDUCTION(name, requesting, counts, WHO, DECLARE)                        \
    DECLARE(name##_c, const void *, void *, counts, MPI_Datatype, MPI_Op,                         \
            WEFT_MPI_##WHO##_PARAMETERS);                                                         \
    DECLARE(requesting##_c, const void *, void *, counts, MPI_Datatype, MPI_Op,                   \
            WEFT_MPI_##WHO##_PARAMETERS, MPI_Request *);
WEFT_MPI_REDUCTIONS(WEFT_MPI_DECLARE_REDUCTION, WEFT_MPI_DECLARE)
#define WEFT_MPI_REDUCTION_ROW(name, requesting, counts, WHO, X) X(name##_c) X(requesting##_c)

#define WEFT_MPI_CALLS_LATER(X)                                                                   \
    WEFT_MPI_GATHERS(WEFT_MPI_LARGE_ROW, X)                                                       \
    WEFT_MPI_EXCHANGES(WEFT_MPI_LARGE_ROW, X)                                                     \
    WEFT_MPI_NEIGHBOURS(WEFT_MPI_LARGE_ROW, X)                                                    \
    WEFT_MPI_GATHERS(WEFT_MPI_PERSISTENT_ROW, X)                                                  \
    WEFT_MPI_EXCHANGES(WEFT_MPI_PERSISTENT_ROW, X)                                                \
    WEFT_MPI_NEIGHBOURS(WEFT_MPI_PERSISTENT_ROW, X)                                               \
    WEFT_MPI_REDUCTIONS(WEFT_MPI_REDUCTION_ROW, X)                                                \
    X(Allreduce_init)                                                                             \
    X(Bcast_c)                                                                                    \
    X(Bcast_init)                                                                                 \
    X(Bcast_init_c)                                                                               \
    X(Ibcast_c)                                                                                   \
    X(Accumulate_c)                                                                               \
    X(Bsend_c)                                                                                    \
    X(Bsend_init_c)                                                                               \
    X(File_iread_all_c)                                                                           \
    X(File_iread_at_all_c)                                                                        \
    X(File_iread_at_c)                                                                            \
    X(File_iread_c)                                                                               \
    X(File_iread_shared_c)                                                                        \
    X(File_iwrite_all_c)                                                                          \
    X(File_iwrite_at_all_c)                                                                       \
    X(File_iwrite_at_c)                                                                           \
    X(File_iwrite_c)                                                                              \
    X(File_iwrite_shared_c)                                                                       \
    X(File_read_all_begin_c)                                                                      \
    X(File_read_all_c)                                                                            \
    X(File_read_at_all_begin_c)                                                                   \
    X(File_read_at_all_c)                                                                         \
    X(File_read_at_c)                                                                             \
    X(File_read_c)                                                                                \
    X(File_read_ordered_begin_c)                                                                  \
    X(File_read_ordered_c)                                                                        \
    X(File_read_shared_c)                                                                         \
    X(File_write_all_begin_c)                                                                     \
    X(File_write_all_c)                                                                           \
    X(File_write_at_all_begin_c)                                                                  \
    X(File_write_at_all_c)                                                                        \
    X(File_write_at_c)                                                                            \
    X(File_write_c)                                                                               \
    X(File_write_ordered_begin_c)                                                                 \
    X(File_write_ordered_c)                                                                       \
    X(File_write_shared_c)                                                                        \
    X(Get_c)                                                                                      \
    X(Ibsend_c)                                                                                   \
    X(Imrecv_c)                                                                                   \
    X(Irecv_c)                                                                                    \
    X(Irsend_c)                                                                                   \
    X(Isend_c)                                                                                    \
    X(Isendrecv)                                                                                  \
    X(Isendrecv_c)                                                                                \
    X(Isendrecv_replace)                                                                          \
    X(Isendrecv_replace_c)                                                                        \
    X(Issend_c)                                                                                   \
    X(Mrecv_c)                                                                                    \
    X(Pack_c)                                                                                     \
    X(Put_c)                                                                                      \
    X(Raccumulate_c)                                                                              \
    X(Recv_c)                                                                                     \
    X(Recv_init_c)                                                                                \
    X(Request_get_status_all)                                                                     \
    X(Request_get_status_any)                                                                     \
    X(Request_get_status_some)                                                                    \
    X(Rget_c)                                                                                     \
    X(Rput_c)                                                                                     \
    X(Rsend_c)                                                                                    \
    X(Rsend_init_c)                                                                               \
    X(Send_c)                                                                                     \
    X(Send_init_c)                                                                                \
    X(Sendrecv_c)                                                                                 \
    X(Sendrecv_replace_c)                                                                         \
    X(Ssend_c)                                                                                    \
    X(Ssend_init_c)                                                                               \
    X(Type_get_contents_c)                                                                        \
    X(Type_get_envelope_c)                                                                        \
    X(Unpack_c)                                                                                   \
    X(Win_allocate_shared_c)                                                                      \
    X(Win_shared_query_c)

#endif
