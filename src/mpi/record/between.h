/* SPDX-License-Identifier: BSD-3-Clause */
/* How a record steps between the program and its calls of MPI. */
#ifndef WEFT_MPI_RECORD_BETWEEN_H
#define WEFT_MPI_RECORD_BETWEEN_H

#include "mpi/record/log.h"

#define WEFT_MPI_BARE(...) __VA_ARGS__

/* What comes before the call, the call itself and what is recorded of it if messages moved. */
#define WEFT_MPI_RECORD_CALL(next, arguments, before, ...)                                        \
    weft_mpi_log_enter();                                                                         \
    WEFT_MPI_BARE before;                                                                         \
    int result = next(WEFT_MPI_BARE arguments);                                                   \
    if (weft_mpi_record_has_moved(result)) {                                                      \
        __VA_ARGS__                                                                               \
    }                                                                                             \
    weft_mpi_log_leave();                                                                         \
    return result;

/* One that Weft has, or counts, itself: its own function is called behind. What others do with a
 * call of the library itself would depend on who calls, so that goes past them. */
#define WEFT_MPI_RECORD_AFTER(name, parameters, arguments, before, ...)                           \
    static __typeof__(PMPI_##name) *next_##name;                                                  \
    static int recorded_##name(WEFT_MPI_BARE parameters)                                          \
    {                                                                                             \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(WEFT_MPI_BARE arguments);                                             \
        WEFT_MPI_RECORD_CALL(next_##name, arguments, before, __VA_ARGS__)                         \
    }

#define WEFT_MPI_RECORD(name, parameters, arguments, ...)                                         \
    WEFT_MPI_RECORD_AFTER(name, parameters, arguments, (), __VA_ARGS__)

/* One that only a record wants. */
#define WEFT_MPI_RECORD_ONLY(name, parameters, arguments, ...)                                    \
    int MPI_##name(WEFT_MPI_BARE parameters)                                                      \
    {                                                                                             \
        if (!weft_mpi_record_is_on || !WEFT_MPI_IS_OURS)                                          \
            return mpi.name(WEFT_MPI_BARE arguments);                                             \
        WEFT_MPI_RECORD_CALL(mpi.name, arguments, (), __VA_ARGS__)                                \
    }                                                                                             \
    WEFT_MPI_RECORDED_ALSO_PMPI(name);

/* For the first of the two, when the record begins. */
#define WEFT_MPI_RECORD_STEP(name)                                                                \
    next_##name = (__typeof__(next_##name))weft_mpi_step_between(                                 \
        "PMPI_" #name, (weft_mpi_function *)recorded_##name);

extern bool weft_mpi_record_is_on;

/* Whether a call has done what it was to do, even if it failed, as when a message was longer than
 * its receive: not if MPI did not take its arguments. */
bool weft_mpi_record_has_moved(int result);

/* message.c, complete.c and collective.c */
void weft_mpi_record_step_messages(void);
void weft_mpi_record_step_completions(void);
void weft_mpi_record_step_collectives(void);

#endif
