/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Persistent exchanges. Processes make them in the same order, and may wait for each other when
 * they do; so that is when all decide who does them. They may start them in any order, so each has
 * a tag of its own. Only those are ours that MPI libraries do by one message for each peer, too.
 */
#include <stdlib.h>

#include "mpi/collective/define.h"
#include "mpi/collective/kinds.h"
#include "mpi/collective/lasting.h"
#include "mpi/collective/shadow.h"
#include "mpi/message/operation.h"
#include "mpi/message/plan.h"

struct planned {
    struct weft_mpi_plan plan;
    struct weft_mpi_exchange exchange;
    const struct weft_mpi_partners *partners;
    struct weft_mpi_shadow *shadow;
};

/* ---- Plans --------------------------------------------------------------------------------- */

static int start(struct weft_mpi_plan *plan, MPI_Request *request)
{
    const struct planned *planned = (const struct planned *)plan;
    return planned->partners->run(&planned->exchange, request);
}

static void drop(struct weft_mpi_plan *plan)
{
    struct planned *planned = (struct planned *)plan;
    weft_mpi_side_free(&planned->exchange.out, planned->exchange.targets);
    weft_mpi_side_free(&planned->exchange.in, planned->exchange.sources);
    weft_mpi_shadow_let_go(planned->shadow);
    free(planned);
}

static bool remember(const struct weft_mpi_exchange *exchange,
                     const struct weft_mpi_partners *partners, struct weft_mpi_shadow *shadow,
                     MPI_Request request)
{
    struct planned *planned = malloc(sizeof *planned);
    if (!planned)
        return false;
    *planned = (struct planned){{start, drop}, *exchange, partners, shadow};
    bool is_copied = weft_mpi_side_copy(&planned->exchange.out, exchange->targets);
    is_copied &= weft_mpi_side_copy(&planned->exchange.in, exchange->sources);
    if (is_copied && weft_mpi_persistent_plan(exchange->program, &planned->plan, request))
        return true;
    drop(&planned->plan);
    return false;
}

/* Where each peer has a type of its own, all are taken over; otherwise if somebody has data that
 * lie apart. */
static bool is_wanted(const struct weft_mpi_exchange *exchange)
{
    int own = weft_mpi_side_is_apart(&exchange->out, exchange->targets) ||
              weft_mpi_side_is_apart(&exchange->in, exchange->sources);
    int any = 0;
    mpi.Allreduce(&own, &any, 1, MPI_INT, MPI_LOR, exchange->comm);
    return any;
}

/* MPI has made the request, and starts it if we do not. Whoever has no memory cannot know that of
 * the others, so its call fails. */
static int plan(struct weft_mpi_exchange *exchange, const struct weft_mpi_partners *partners,
                MPI_Request *request)
{
    if (!partners->prepare(exchange, true) || (!exchange->out.is_typed && !is_wanted(exchange)))
        return MPI_SUCCESS;
    struct weft_mpi_shadow *shadow = weft_mpi_shadow_keep(exchange->program, &exchange->tag);
    if (!shadow || remember(exchange, partners, shadow, *request))
        return MPI_SUCCESS;
    mpi.Request_free(request);
    return weft_mpi_raise_no_memory(exchange->program);
}

/* ---- The calls ----------------------------------------------------------------------------- */

#define DEFINE(name, SIZE, OUT, IN, partners)                                                     \
    int MPI_##name(WEFT_MPI_##OUT##_PARAMETERS(SIZE), WEFT_MPI_##IN##_PARAMETERS(SIZE),           \
                   MPI_Comm comm, MPI_Info info, MPI_Request *request)                            \
    {                                                                                             \
        int result =                                                                              \
            mpi.name(WEFT_MPI_##OUT##_ARGUMENTS, WEFT_MPI_##IN##_ARGUMENTS, comm, info, request); \
        if (result != MPI_SUCCESS || !WEFT_MPI_IS_OURS)                                           \
            return result;                                                                        \
        weft_mpi_absent_pass("MPI_" #name);                                                       \
        struct weft_mpi_exchange exchange = {                                                     \
            .out = WEFT_MPI_##OUT(SIZE), .in = WEFT_MPI_##IN(SIZE), .program = comm};             \
        return plan(&exchange, &(partners), request);                                             \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

#define DEFINE_ALL(name, requesting, OUT, IN, WHO, partners)                                      \
    DEFINE(name##_init, INT, OUT, IN, partners)                                                   \
    DEFINE(name##_init_c, LARGE, OUT, IN, partners)

DEFINE_ALL(Alltoallw, Ialltoallw, OUT_TYPED, IN_TYPED, EQUAL, weft_mpi_all)
WEFT_MPI_NEIGHBOURS(DEFINE_ALL, weft_mpi_around)
