/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges of all with all in which the peers of a process share one datatype. MPI libraries have
 * better algorithms for short messages than one message for each pair, and types that they pack by
 * themselves; so who does an exchange is tried, for each communicator and kind.
 */
#include "mpi/collective/uniform.h"

#include <stdlib.h>

#include "mpi/collective/define.h"
#include "mpi/collective/shadow.h"
#include "mpi/collective/verdict.h"
#include "mpi/layout/type.h"
#include "mpi/message/operation.h"
#include "mpi/start/attribute.h"
#include "mpi/start/ranks.h"

/* Kinds are all of MPI_Alltoallv, and those of MPI_Alltoall by the size of a message, which MPI
 * demands to be the same for all processes; up to a factor of two. Shorter ones are MPI's. */
enum { OF_VARIED, OF_SHORTEST, LOWEST_CLASS = 10, HIGHEST_CLASS = 26 };
enum { KINDS = OF_SHORTEST + HIGHEST_CLASS - LOWEST_CLASS + 1, NO_KIND = -1 };

struct verdicts {
    bool is_possible; /* all processes of the communicator are of this job */
    struct weft_mpi_verdict of_kind[KINDS];
};

static struct weft_mpi_attribute attribute = {MPI_KEYVAL_INVALID, free};

void weft_mpi_uniform_begin(void)
{
    weft_mpi_attribute_begin(&attribute, NULL);
}

void weft_mpi_uniform_end(void)
{
    weft_mpi_attribute_end(&attribute);
}

/* NULL without memory. */
static struct verdicts *verdicts_of(MPI_Comm comm)
{
    struct verdicts *verdicts = NULL;
    int is_there = 0;
    mpi.Comm_get_attr(comm, attribute.key, &verdicts, &is_there);
    if (is_there)
        return verdicts;
    verdicts = malloc(sizeof *verdicts);
    if (!verdicts)
        return NULL;
    verdicts->is_possible = weft_mpi_is_within_job(comm);
    for (int i = 0; i < KINDS; i++)
        weft_mpi_verdict_begin(&verdicts->of_kind[i]);
    if (mpi.Comm_set_attr(comm, attribute.key, verdicts) == MPI_SUCCESS)
        return verdicts;
    free(verdicts);
    return NULL;
}

static int kind_of(const struct weft_mpi_side *side)
{
    MPI_Count size = 0;
    size_t bytes;
    if (side->counts)
        return OF_VARIED;
    mpi.Type_size_x(side->type, &size);
    if (__builtin_mul_overflow((size_t)size, (size_t)side->count, &bytes) ||
        bytes < (size_t)1 << LOWEST_CLASS)
        return NO_KIND;
    int class = 63 - __builtin_clzll(bytes);
    return OF_SHORTEST + (class < HIGHEST_CLASS ? class : HIGHEST_CLASS) - LOWEST_CLASS;
}

static bool lies_apart(const struct weft_mpi_side *side, int peers)
{
    struct weft_mpi_type *type;
    int64_t most = side->count;
    if (weft_mpi_type_is_basic(side->type) ||
        weft_mpi_type_find(side->type, &type) != WEFT_MPI_FOUND)
        return false;
    for (int i = 0; side->counts && i < peers; i++)
        most = side->counts[i] > most ? side->counts[i] : most;
    bool is_apart = most > 0 && !weft_mpi_type_is_one_piece(type, most);
    weft_mpi_type_drop(type);
    return is_apart;
}

/* ---- The calls ----------------------------------------------------------------------------- */

/* NULL if MPI is to do it. Whatever this looks at is the same for all processes. */
static struct weft_mpi_verdict *find_verdict(const struct weft_mpi_exchange *exchange, int *result)
{
    int size = 0, kind = NO_KIND;
    if (!weft_mpi_shadow_is_possible(exchange->program))
        return NULL;
    mpi.Comm_size(exchange->program, &size);
    if (weft_mpi_exchange_is_valid(&exchange->out, size) &&
        weft_mpi_exchange_is_valid(&exchange->in, size))
        kind = kind_of(&exchange->out);
    if (kind == NO_KIND)
        return NULL;
    struct verdicts *verdicts = verdicts_of(exchange->program);
    if (!verdicts) {
        *result = weft_mpi_raise_no_memory(exchange->program);
        return NULL;
    }
    if (!verdicts->is_possible)
        return NULL;
    struct weft_mpi_verdict *verdict = &verdicts->of_kind[kind];
    verdict->is_wanted =
        verdict->is_wanted || lies_apart(&exchange->out, size) || lies_apart(&exchange->in, size);
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
