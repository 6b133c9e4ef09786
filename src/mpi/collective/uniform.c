/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges of all with all in which the peers of a process share one datatype. MPI libraries have
 * better algorithms for short messages than one message for each pair, and types that they pack by
 * themselves; so who does an exchange is tried, for each communicator and kind.
 */
#include "mpi/collective/define.h"
#include "mpi/collective/kinds.h"
#include "mpi/collective/shadow.h"

/* ---- The calls ----------------------------------------------------------------------------- */

/* NULL if MPI is to do it. Whatever this looks at is the same for all processes. */
static struct weft_mpi_verdict *find_verdict(const struct weft_mpi_exchange *exchange, int *result)
{
    int size = 0;
    const struct weft_mpi_side *out = &exchange->out, *in = &exchange->in;
    if (!weft_mpi_shadow_is_possible(exchange->program))
        return NULL;
    mpi.Comm_size(exchange->program, &size);
    if (!weft_mpi_exchange_is_valid(out, size) || !weft_mpi_exchange_is_valid(in, size))
        return NULL;
    struct weft_mpi_verdict *verdict = weft_mpi_kind_verdict(
        exchange->program, WEFT_MPI_ALL_TO_ALL, weft_mpi_side_bytes(out), result);
    if (verdict && !verdict->is_wanted)
        verdict->is_wanted = weft_mpi_side_is_apart(out, size) || weft_mpi_side_is_apart(in, size);
    return verdict;
}

static bool is_ours(const struct weft_mpi_exchange *exchange, struct weft_mpi_verdict *verdict)
{
    return verdict && weft_mpi_verdict_is_ours(verdict, exchange->program);
}

/* A verdict is ours only if there is a shadow. */
static int exchange_by_us(struct weft_mpi_exchange *exchange, enum weft_mpi_slice call)
{
    int result = MPI_SUCCESS;
    uint64_t since = weft_mpi_slice_begin();
    weft_mpi_exchange_all(exchange, NULL, &result);
    weft_mpi_slice_end(call, since);
    return result;
}

/* A process without memory cannot know what the others will do, so its call fails. MPI's own calls
 * of it, for its own ends, go to MPI. */
#define DEFINE(name, OUT, IN)                                                                     \
    int MPI_##name(WEFT_MPI_##OUT##_PARAMETERS, WEFT_MPI_##IN##_PARAMETERS, MPI_Comm comm)        \
    {                                                                                             \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(WEFT_MPI_##OUT##_ARGUMENTS, WEFT_MPI_##IN##_ARGUMENTS, comm);         \
        struct weft_mpi_exchange exchange = {                                                     \
            .out = WEFT_MPI_##OUT, .in = WEFT_MPI_##IN, .program = comm};                         \
        int result = MPI_SUCCESS;                                                                 \
        struct weft_mpi_verdict *verdict = find_verdict(&exchange, &result);                      \
        if (result != MPI_SUCCESS)                                                                \
            return result;                                                                        \
        bool is_by_us = is_ours(&exchange, verdict);                                              \
        uint64_t since = weft_mpi_verdict_clock(verdict);                                         \
        result = is_by_us ? exchange_by_us(&exchange, WEFT_MPI_SLICE_##name)                      \
                          : weft_mpi_native_##name(WEFT_MPI_##OUT##_ARGUMENTS,                    \
                                                   WEFT_MPI_##IN##_ARGUMENTS, comm);              \
        weft_mpi_verdict_note(verdict, since);                                                    \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

DEFINE(Alltoall, OUT_ONE, IN_ONE);
DEFINE(Alltoallv, OUT_MANY, IN_MANY);
