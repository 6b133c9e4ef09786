/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions of exchanges that we do, or else MPI. */
#ifndef WEFT_MPI_COLLECTIVE_DEFINE_H
#define WEFT_MPI_COLLECTIVE_DEFINE_H

#include "mpi/collective/exchange.h"
#include "mpi/record/absent.h"
#include "mpi/report/native.h"
#include "mpi/report/slice.h"

#define WEFT_MPI_EXCHANGE_BARE(...) __VA_ARGS__

/* A call with large counts that MPI does is not counted. */
#define WEFT_MPI_NATIVELY_INT(name) weft_mpi_native_##name
#define WEFT_MPI_NATIVELY_LARGE(name) mpi.name

#define WEFT_MPI_DEFINE_EXCHANGE(name, SIZE, OUT, IN, parameters, arguments, request, partners)   \
    int MPI_##name(WEFT_MPI_##OUT##_PARAMETERS(SIZE), WEFT_MPI_##IN##_PARAMETERS(SIZE),           \
                   WEFT_MPI_EXCHANGE_BARE parameters)                                             \
    {                                                                                             \
        struct weft_mpi_exchange exchange = {                                                     \
            .out = WEFT_MPI_##OUT(SIZE), .in = WEFT_MPI_##IN(SIZE), .program = comm};             \
        int result;                                                                               \
        uint64_t since = weft_mpi_slice_begin();                                                  \
        if (WEFT_MPI_IS_OURS && weft_mpi_exchange(&exchange, &partners, request, &result)) {      \
            weft_mpi_absent_pass("MPI_" #name);                                                   \
            weft_mpi_slice_end(WEFT_MPI_SLICE_##name, since);                                     \
            return result;                                                                        \
        }                                                                                         \
        return WEFT_MPI_NATIVELY_##SIZE(name)(WEFT_MPI_##OUT##_ARGUMENTS,                         \
                                              WEFT_MPI_##IN##_ARGUMENTS,                          \
                                              WEFT_MPI_EXCHANGE_BARE arguments);                  \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

/* One that waits, and one that answers with a request. */
#define WEFT_MPI_DEFINE_BOTH_EXCHANGES(name, requesting, SIZE, OUT, IN, partners)                 \
    WEFT_MPI_DEFINE_EXCHANGE(name, SIZE, OUT, IN, (MPI_Comm comm), (comm), NULL, partners)        \
    WEFT_MPI_DEFINE_EXCHANGE(requesting, SIZE, OUT, IN, (MPI_Comm comm, MPI_Request * request),   \
                             (comm, request), request, partners)

#define WEFT_MPI_DEFINE_EXCHANGES(name, requesting, OUT, IN, partners)                            \
    WEFT_MPI_DEFINE_BOTH_EXCHANGES(name, requesting, INT, OUT, IN, partners)                      \
    WEFT_MPI_DEFINE_BOTH_EXCHANGES(name##_c, requesting##_c, LARGE, OUT, IN, partners)

#endif
