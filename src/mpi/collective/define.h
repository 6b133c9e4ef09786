/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions of exchanges that we do, or else MPI. */
#ifndef WEFT_MPI_COLLECTIVE_DEFINE_H
#define WEFT_MPI_COLLECTIVE_DEFINE_H

#include "mpi/collective/exchange.h"
#include "mpi/report/native.h"
#include "mpi/report/slice.h"

#define WEFT_MPI_EXCHANGE_BARE(...) __VA_ARGS__

/* `by_us` is false if MPI is to do it. */
#define WEFT_MPI_DEFINE_EXCHANGE(name, OUT, IN, parameters, arguments, request, by_us)            \
    int MPI_##name(WEFT_MPI_##OUT##_PARAMETERS, WEFT_MPI_##IN##_PARAMETERS,                       \
                   WEFT_MPI_EXCHANGE_BARE parameters)                                             \
    {                                                                                             \
        struct weft_mpi_exchange exchange = {                                                     \
            .out = WEFT_MPI_##OUT, .in = WEFT_MPI_##IN, .program = comm};                         \
        int result;                                                                               \
        uint64_t since = weft_mpi_slice_begin();                                                  \
        if (WEFT_MPI_IS_OURS && by_us(&exchange, request, &result)) {                             \
            weft_mpi_slice_end(WEFT_MPI_SLICE_##name, since);                                     \
            return result;                                                                        \
        }                                                                                         \
        return weft_mpi_native_##name(WEFT_MPI_##OUT##_ARGUMENTS, WEFT_MPI_##IN##_ARGUMENTS,      \
                                      WEFT_MPI_EXCHANGE_BARE arguments);                          \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

/* One that waits, and one that answers with a request. */
#define WEFT_MPI_DEFINE_EXCHANGES(name, requesting, OUT, IN, by_us)                               \
    WEFT_MPI_DEFINE_EXCHANGE(name, OUT, IN, (MPI_Comm comm), (comm), NULL, by_us);                \
    WEFT_MPI_DEFINE_EXCHANGE(requesting, OUT, IN, (MPI_Comm comm, MPI_Request * request),         \
                             (comm, request), request, by_us)

#endif
