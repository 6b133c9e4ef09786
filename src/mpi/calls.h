/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI library below us. We are loaded before it and export the names of the calls that we
 * know, both MPI_ and PMPI_: Fortran bindings of Open MPI call the latter. This is how to get at
 * what these names stood for.
 */
#ifndef WEFT_MPI_CALLS_H
#define WEFT_MPI_CALLS_H

/* Their definitions are ours, and are to be seen. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <stdbool.h>

#define WEFT_MPI_CALLS_ALWAYS(X)                                                                  \
    X(Allgather)                                                                                  \
    X(Allreduce)                                                                                  \
    X(Barrier)                                                                                    \
    X(Bcast)                                                                                      \
    X(Bsend)                                                                                      \
    X(Bsend_init)                                                                                 \
    X(Cancel)                                                                                     \
    X(Comm_call_errhandler)                                                                       \
    X(Comm_create_keyval)                                                                         \
    X(Comm_dup)                                                                                   \
    X(Comm_free)                                                                                  \
    X(Comm_free_keyval)                                                                           \
    X(Comm_get_attr)                                                                              \
    X(Comm_group)                                                                                 \
    X(Comm_rank)                                                                                  \
    X(Comm_remote_group)                                                                          \
    X(Comm_set_attr)                                                                              \
    X(Comm_set_errhandler)                                                                        \
    X(Comm_size)                                                                                  \
    X(Comm_split_type)                                                                            \
    X(Comm_test_inter)                                                                            \
    X(Finalize)                                                                                   \
    X(Gather)                                                                                     \
    X(Gatherv)                                                                                    \
    X(Grequest_complete)                                                                          \
    X(Grequest_start)                                                                             \
    X(Group_free)                                                                                 \
    X(Group_size)                                                                                 \
    X(Group_translate_ranks)                                                                      \
    X(Ibsend)                                                                                     \
    X(Improbe)                                                                                    \
    X(Imrecv)                                                                                     \
    X(Init)                                                                                       \
    X(Init_thread)                                                                                \
    X(Iprobe)                                                                                     \
    X(Irecv)                                                                                      \
    X(Irsend)                                                                                     \
    X(Isend)                                                                                      \
    X(Issend)                                                                                     \
    X(Mprobe)                                                                                     \
    X(Mrecv)                                                                                      \
    X(Pack)                                                                                       \
    X(Probe)                                                                                      \
    X(Query_thread)                                                                               \
    X(Recv)                                                                                       \
    X(Recv_init)                                                                                  \
    X(Reduce)                                                                                     \
    X(Request_free)                                                                               \
    X(Request_get_status)                                                                         \
    X(Rsend)                                                                                      \
    X(Rsend_init)                                                                                 \
    X(Send)                                                                                       \
    X(Send_init)                                                                                  \
    X(Sendrecv)                                                                                   \
    X(Sendrecv_replace)                                                                           \
    X(Ssend)                                                                                      \
    X(Ssend_init)                                                                                 \
    X(Start)                                                                                      \
    X(Startall)                                                                                   \
    X(Status_set_cancelled)                                                                       \
    X(Status_set_elements_x)                                                                      \
    X(Test)                                                                                       \
    X(Test_cancelled)                                                                             \
    X(Testall)                                                                                    \
    X(Testany)                                                                                    \
    X(Testsome)                                                                                   \
    X(Type_dup)                                                                                   \
    X(Type_free)                                                                                  \
    X(Type_get_extent_x)                                                                          \
    X(Type_size_x)                                                                                \
    X(Unpack)                                                                                     \
    X(Wait)                                                                                       \
    X(Waitall)                                                                                    \
    X(Waitany)                                                                                    \
    X(Waitsome)

#if MPI_VERSION >= 4
#define WEFT_MPI_CALLS_LARGE(X)                                                                   \
    X(Bsend_c)                                                                                    \
    X(Bsend_init_c)                                                                               \
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
    X(Recv_c)                                                                                     \
    X(Recv_init_c)                                                                                \
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
    X(Unpack_c)
#else
#define WEFT_MPI_CALLS_LARGE(X)                                                                   \
    X(Type_get_contents)                                                                          \
    X(Type_get_envelope)
#endif

#define WEFT_MPI_CALLS(X) WEFT_MPI_CALLS_ALWAYS(X) WEFT_MPI_CALLS_LARGE(X)

struct weft_mpi_calls {
#define WEFT_MPI_MEMBER(name) __typeof__(PMPI_##name) *name;
    WEFT_MPI_CALLS(WEFT_MPI_MEMBER)
#undef WEFT_MPI_MEMBER
};

/* Filled in when the program starts, or, if it loads MPI later, before it is initialised. */
extern struct weft_mpi_calls mpi;

/* Open MPI's own handles are addresses of objects in its memory. We are loaded into programs that
 * do not have it yet, or never will, so the linker must not look for them. */
#ifdef OPEN_MPI
#define WEFT_MPI_OBJECTS(X)                                                                       \
    X(ompi_mpi_byte)                                                                              \
    X(ompi_mpi_comm_null)                                                                         \
    X(ompi_mpi_comm_world)                                                                        \
    X(ompi_mpi_datatype_null)                                                                     \
    X(ompi_mpi_errors_return)                                                                     \
    X(ompi_mpi_group_null)                                                                        \
    X(ompi_mpi_info_null)                                                                         \
    X(ompi_mpi_int)                                                                               \
    X(ompi_mpi_op_land)                                                                           \
    X(ompi_mpi_op_lor)                                                                            \
    X(ompi_mpi_op_min)                                                                            \
    X(ompi_mpi_op_sum)                                                                            \
    X(ompi_mpi_uint64_t)                                                                          \
    X(ompi_mpi_unsigned_long_long)                                                                \
    X(ompi_request_null)

struct weft_mpi_objects {
#define WEFT_MPI_MEMBER(name) void *name;
    WEFT_MPI_OBJECTS(WEFT_MPI_MEMBER)
#undef WEFT_MPI_MEMBER
};

extern struct weft_mpi_objects weft_mpi_objects;

#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)weft_mpi_objects.global)
#else
#define WEFT_MPI_OBJECTS(X)
#endif

/* Finds the calls; ends the process with a message if the MPI library lacks some. */
void weft_mpi_load(void);

/* Exports a call that is defined as MPI_name under its other name. */
#define WEFT_MPI_ALSO_PMPI(name)                                                                  \
    extern __typeof__(MPI_##name) PMPI_##name                                                     \
        __attribute__((alias("MPI_" #name), visibility("default")))

#endif
