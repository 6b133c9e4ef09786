/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI library below us. We are loaded before it and export the names of the calls that we
 * know, both MPI_ and PMPI_: Fortran bindings of Open MPI call the latter. This is how to get at
 * what these names stood for.
 */
#ifndef WEFT_MPI_LIBRARY_CALLS_H
#define WEFT_MPI_LIBRARY_CALLS_H

/* Their definitions are ours, and are to be seen. */
#pragma GCC visibility push(default)
#include "mpi/library/later.h"
#pragma GCC visibility pop

#include "mpi/library/counted.h"
#include "mpi/library/recorded.h"

#include <stdbool.h>
#include <stdint.h>

#define WEFT_MPI_CALLS_ALWAYS(X)                                                                  \
    WEFT_MPI_CALLS_NEEDED_AND_COUNTED(X)                                                          \
    X(Abort)                                                                                      \
    X(Allreduce)                                                                                  \
    X(Barrier)                                                                                    \
    X(Bsend)                                                                                      \
    X(Bsend_init)                                                                                 \
    X(Cancel)                                                                                     \
    X(Comm_call_errhandler)                                                                       \
    X(Comm_create)                                                                                \
    X(Comm_create_group)                                                                          \
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
    X(Get_elements_x)                                                                             \
    X(Get_library_version)                                                                        \
    X(Grequest_complete)                                                                          \
    X(Grequest_start)                                                                             \
    X(Group_free)                                                                                 \
    X(Group_incl)                                                                                 \
    X(Group_intersection)                                                                         \
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
    X(Type_commit)                                                                                \
    X(Type_contiguous)                                                                            \
    X(Type_create_hvector)                                                                        \
    X(Type_create_struct)                                                                         \
    X(Type_free)                                                                                  \
    X(Type_get_contents)                                                                          \
    X(Type_get_envelope)                                                                          \
    X(Type_get_extent_x)                                                                          \
    X(Type_get_true_extent_x)                                                                     \
    X(Type_size_x)                                                                                \
    X(Type_vector)                                                                                \
    X(Unpack)                                                                                     \
    X(Wait)                                                                                       \
    X(Waitall)                                                                                    \
    X(Waitany)                                                                                    \
    X(Waitsome)

#define WEFT_MPI_CALLS(X)                                                                         \
    WEFT_MPI_CALLS_ALWAYS(X)                                                                      \
    WEFT_MPI_CALLS_LATER(X)                                                                       \
    WEFT_MPI_CALLS_ONLY_COUNTED(X)                                                                \
    WEFT_MPI_CALLS_ENDING(X)                                                                      \
    WEFT_MPI_CALLS_ASKED(X)                                                                       \
    WEFT_MPI_CALLS_RECORDED(X)

struct weft_mpi_calls {
#define WEFT_MPI_MEMBER(name) __typeof__(PMPI_##name) *name;
    WEFT_MPI_CALLS(WEFT_MPI_MEMBER)
#undef WEFT_MPI_MEMBER
};

/* Filled in when the program starts, or, if it loads MPI later, before it is initialised. A call
 * that the library does not have answers with an error. */
extern struct weft_mpi_calls mpi;

/* Open MPI's own handles are addresses of objects in its memory. We are loaded into programs that
 * do not have it yet, or never will, so the linker must not look for them. */
#ifdef OPEN_MPI
#define WEFT_MPI_OBJECTS(X)                                                                       \
    X(ompi_mpi_byte)                                                                              \
    X(ompi_mpi_comm_null)                                                                         \
    X(ompi_mpi_comm_self)                                                                         \
    X(ompi_mpi_comm_world)                                                                        \
    X(ompi_mpi_datatype_null)                                                                     \
    X(ompi_mpi_double_int)                                                                        \
    X(ompi_mpi_errors_return)                                                                     \
    X(ompi_mpi_group_null)                                                                        \
    X(ompi_mpi_info_null)                                                                         \
    X(ompi_mpi_int)                                                                               \
    X(ompi_mpi_int32_t)                                                                           \
    X(ompi_mpi_int64_t)                                                                           \
    X(ompi_mpi_long)                                                                              \
    X(ompi_mpi_long_int)                                                                          \
    X(ompi_mpi_long_long_int)                                                                     \
    X(ompi_mpi_longdbl_int)                                                                       \
    X(ompi_mpi_op_band)                                                                           \
    X(ompi_mpi_op_bor)                                                                            \
    X(ompi_mpi_op_bxor)                                                                           \
    X(ompi_mpi_op_land)                                                                           \
    X(ompi_mpi_op_lor)                                                                            \
    X(ompi_mpi_op_lxor)                                                                           \
    X(ompi_mpi_op_max)                                                                            \
    X(ompi_mpi_op_min)                                                                            \
    X(ompi_mpi_op_prod)                                                                           \
    X(ompi_mpi_op_sum)                                                                            \
    X(ompi_mpi_packed)                                                                            \
    X(ompi_mpi_short_int)                                                                         \
    X(ompi_mpi_uint32_t)                                                                          \
    X(ompi_mpi_uint64_t)                                                                          \
    X(ompi_mpi_unsigned)                                                                          \
    X(ompi_mpi_unsigned_long)                                                                     \
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

/* Which library it is shows only in the ABI of its own; programs of the standard ABI run with any.
 * Known when the calls have been found. */
extern bool weft_mpi_is_open_mpi;

/* Finds the calls. False if the library lacks one that we need, or is of another
 * kind: then it is to be left alone. */
bool weft_mpi_load(void);

/* Somebody asks for calls of a library that we have not seen at the start. If there is one by now,
 * its calls are found, but nothing is done to them before MPI is initialised. */
void weft_mpi_meet_library(void);
/* Whether an address is in the library, if there is one. */
bool weft_mpi_is_part(const void *address);
/* Where the object begins in which an address is; NULL if it is in none. */
const void *weft_mpi_object_of(const void *address);

/* From now on the program's calls go to MPI, past us. */
void weft_mpi_step_aside(void);
/* Calls that are only counted go past us from the start, until somebody wants to count. */
void weft_mpi_step_in_to_count(void);
/* The same of calls that only a record wants. */
void weft_mpi_step_in_to_record(void);
/* From now on calls of that name, with PMPI_, go to a function that knows what to do with them.
 * Returns where they went before. */
typedef void weft_mpi_function(void);
weft_mpi_function *weft_mpi_step_between(const char *name, weft_mpi_function *function);

/* A call of the library, or one that answers with an error. */
void *weft_mpi_look_for(const char *name);

/* Whether the library has a call that need not be there. */
#define WEFT_MPI_HAS(name) weft_mpi_is_there((uintptr_t)mpi.name)
bool weft_mpi_is_there(uintptr_t call);

/* ---- What we export ------------------------------------------------------------------------ */

/* The exported names only jump on, to us or, where we must not be in between, to MPI itself: its
 * handles may be of another size than those that we were compiled with, so we could not pass them
 * on. The return address stays that of the program. */
struct weft_mpi_export {
    void (*target)(void);
    void (*own)(void);
    const char *name;
};

/* Where a processor must not predict indirect jumps, as some are told to for safety, each takes
 * 10 ns, so that to us is direct. */
#if defined __x86_64__
#define WEFT_MPI_JUMP(slot, own)                                                                  \
    "lea " own "(%rip), %r11\ncmp %r11, " slot "(%rip)\nje " own "\njmp *" slot "(%rip)\n"
#elif defined __aarch64__
#define WEFT_MPI_JUMP(slot, own) "adrp x16, " slot "\nldr x16, [x16, :lo12:" slot "]\nbr x16\n"
#endif

#ifdef WEFT_MPI_JUMP

/* Our own functions have names that nobody else sees. */
#define WEFT_MPI_RENAME(name) extern __typeof__(MPI_##name) MPI_##name __asm__("weft_own_" #name);
WEFT_MPI_CALLS(WEFT_MPI_RENAME)
#undef WEFT_MPI_RENAME

/* An array of the group's exports: without the alignment, compilers leave gaps. */
#define WEFT_MPI_EXPORT_IN(group, name)                                                           \
    __attribute__((used, section(group), aligned(sizeof(void *)))) static struct weft_mpi_export  \
        export_##name __asm__("weft_export_" #name) = {                                           \
            (void (*)(void))MPI_##name, (void (*)(void))MPI_##name, "PMPI_" #name};               \
    __asm__(".pushsection .text\n"                                                                \
            ".globl MPI_" #name ", PMPI_" #name "\n"                                              \
            ".type MPI_" #name ", %function\n.type PMPI_" #name ", %function\n"                   \
            "MPI_" #name ":\nPMPI_" #name                                                         \
            ":\n" WEFT_MPI_JUMP("weft_export_" #name, "weft_own_" #name) ".popsection")

#else

#define WEFT_MPI_EXPORT_IN(group, name)                                                           \
    extern __typeof__(MPI_##name) PMPI_##name                                                     \
        __attribute__((alias("MPI_" #name), visibility("default")))

#endif

/* A call whose counts are of type int, and the one whose counts are larger. */
#define WEFT_MPI_BOTH_COUNTS(define, name, ...)                                                   \
    define(name, int, __VA_ARGS__);                                                               \
    define(name##_c, MPI_Count, __VA_ARGS__)

/* Exports a call that is defined as MPI_name under both of its names. */
#define WEFT_MPI_ALSO_PMPI(name) WEFT_MPI_EXPORT_IN("weft_exports", name)
/* The same for one that is only counted. */
#define WEFT_MPI_COUNTED_ALSO_PMPI(name) WEFT_MPI_EXPORT_IN("weft_counted", name)
/* And for one that is only recorded. */
#define WEFT_MPI_RECORDED_ALSO_PMPI(name) WEFT_MPI_EXPORT_IN("weft_recorded", name)

#endif
