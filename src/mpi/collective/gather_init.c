/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Persistent collectives that spread, gather or exchange data of one type. MPI does them, of data
 * as they are or of packed bytes (packed.h); or, on one host, they go in messages of our own
 * (spread.h). Which is the fastest is tried from start to start, as all processes start a request
 * equally often. They may start several in different orders, so whatever a start needs of others is
 * a persistent request, too, made when all made theirs in one order.
 */
#include <stdlib.h>

#include "mpi/collective/define.h"
#include "mpi/collective/lasting.h"
#include "mpi/collective/shadow.h"
#include "mpi/collective/spread.h"
#include "mpi/message/operation.h"
#include "mpi/message/plan.h"
#include "mpi/message/route.h"
#include "mpi/start/ranks.h"

struct recurrent {
    struct weft_mpi_plan plan;
    struct weft_mpi_task task;
    struct weft_mpi_packed_call call;
    struct weft_mpi_verdict verdict;
    MPI_Request by_mpi, by_bytes;
    MPI_Request sums; /* of what all have measured, */
    uint64_t all[WEFT_MPI_VERDICT_WAYS];
    bool is_summing; /* which are there when what was started has ended */
    struct weft_mpi_exchange messages;
    struct weft_mpi_shadow *shadow; /* by which they go; NULL: none do */
};

/* ---- Starting ------------------------------------------------------------------------------ */

static int start_by_mpi(struct recurrent *planned, MPI_Request *request)
{
    *request = planned->by_mpi;
    return mpi.Start(&planned->by_mpi);
}

/* All start this one so. Nobody may wait in a start, so it ends when all have added their times.
 */
static int start_with_sums(struct recurrent *planned, MPI_Request *request)
{
    MPI_Request *both = malloc(2 * sizeof *both);
    if (!both)
        return weft_mpi_raise_no_memory(planned->call.comm);
    int result = start_by_mpi(planned, &both[0]);
    both[1] = planned->sums;
    if (result == MPI_SUCCESS)
        result = mpi.Start(&planned->sums);
    planned->is_summing = result == MPI_SUCCESS;
    /* MPI tells the error handler of the program's communicator itself. */
    if (result == MPI_SUCCESS &&
        weft_mpi_operation_begin_many(weft_mpi.self, both, 2, request) == MPI_SUCCESS)
        return result;
    *request = MPI_REQUEST_NULL;
    for (int i = 0; i < 2 && result == MPI_SUCCESS; i++)
        result = mpi.Wait(&both[i], MPI_STATUS_IGNORE);
    free(both);
    return result;
}

static bool is_over(struct weft_mpi_task *task, int *class)
{
    struct recurrent *planned = weft_list_object(task, struct recurrent, task);
    int flag = 0;
    int result = mpi.Test(&planned->by_bytes, &flag, MPI_STATUS_IGNORE);
    if (!flag && result == MPI_SUCCESS)
        return false;
    *class = result == MPI_SUCCESS ? weft_mpi_packed_unload(&planned->call) : result;
    return true;
}

/* It is started again. */
static void end(struct weft_mpi_task *task)
{
    (void)task;
}

/* What cannot be remembered, for want of memory, is waited for here. */
static int start_by_bytes(struct recurrent *planned, MPI_Request *request)
{
    int result = weft_mpi_packed_load(&planned->call);
    if (result == MPI_SUCCESS)
        result = mpi.Start(&planned->by_bytes);
    *request = planned->by_bytes;
    if (result != MPI_SUCCESS || !planned->call.in.buffer ||
        weft_mpi_operation_begin_task(weft_mpi.self, &planned->task, request) == MPI_SUCCESS)
        return result;
    *request = MPI_REQUEST_NULL;
    result = mpi.Wait(&planned->by_bytes, MPI_STATUS_IGNORE);
    return result == MPI_SUCCESS ? weft_mpi_packed_unload(&planned->call) : result;
}

static int start(struct weft_mpi_plan *plan, MPI_Request *request)
{
    struct recurrent *planned = (struct recurrent *)plan;
    struct weft_mpi_verdict *verdict = &planned->verdict;
    if (planned->is_summing)
        weft_mpi_verdict_decide(verdict, planned->all);
    planned->is_summing = false;
    weft_mpi_verdict_note(verdict, verdict->since);
    bool is_ours = weft_mpi_verdict_is_ours_at_once(verdict);
    verdict->since = weft_mpi_verdict_clock(verdict);
    if (weft_mpi_verdict_is_awaited(verdict))
        return start_with_sums(planned, request);
    if (!is_ours)
        return start_by_mpi(planned, request);
    if (verdict->way == WEFT_MPI_VERDICT_OTHER)
        return weft_mpi_spread_run(&planned->call, &planned->messages, request);
    return start_by_bytes(planned, request);
}

/* ---- Making -------------------------------------------------------------------------------- */

static void free_request(MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL)
        mpi.Request_free(request);
}

static void drop(struct weft_mpi_plan *plan)
{
    struct recurrent *planned = (struct recurrent *)plan;
    free_request(&planned->by_mpi);
    free_request(&planned->by_bytes);
    free_request(&planned->sums);
    weft_mpi_packed_close(&planned->call);
    weft_mpi_side_free(&planned->messages.out, planned->call.size);
    weft_mpi_side_free(&planned->messages.in, planned->call.size);
    if (planned->shadow)
        weft_mpi_shadow_let_go(planned->shadow);
    free(planned);
}

/* Whatever this looks at is the same for all processes. */
static bool is_possible(struct weft_mpi_packed_call *call)
{
    if (!WEFT_MPI_HAS(Allreduce_init) || !weft_mpi_shadow_is_possible(call->comm) ||
        !weft_mpi_is_within_job(call->comm))
        return false;
    weft_mpi_packed_set_roles(call);
    return call->family != WEFT_MPI_ALL_TO_ALL || call->out.side.buffer != MPI_IN_PLACE;
}

/* What one process alone may lack is looked for before all are asked. */
static bool is_ready(struct recurrent *planned)
{
    struct weft_mpi_packed_call *call = &planned->call;
    return !weft_mpi_route_is_forced_to_mpi() &&
           weft_mpi_kind_is_long(weft_mpi_packed_bytes(call)) &&
           weft_mpi_packed_open(call) == WEFT_MPI_READY_BY_BYTES;
}

static bool has_messages(struct recurrent *planned)
{
    planned->messages = weft_mpi_spread_plan(&planned->call);
    int size = planned->call.size;
    bool is_copied = weft_mpi_side_copy(&planned->messages.out, size);
    return weft_mpi_side_copy(&planned->messages.in, size) && is_copied &&
           weft_mpi_is_on_one_host(planned->call.comm);
}

/* All have them, so all ask for a tag, and are told alike whether there is one. */
static bool open_messages(struct recurrent *planned)
{
    planned->messages.comm = weft_mpi_shadow(planned->call.comm);
    if (planned->messages.comm != MPI_COMM_NULL)
        planned->shadow = weft_mpi_shadow_keep(planned->call.comm, &planned->messages.tag);
    return planned->shadow;
}

/* Whether all can do it, and somebody has data that lie apart. */
static bool are_ready(struct recurrent *planned, MPI_Comm comm)
{
    enum { LACKS, IS_APART, TOLD, LACKS_MESSAGES, QUESTIONS };
    bool can = planned && is_ready(planned);
    int own[QUESTIONS] = {!can, planned && weft_mpi_packed_is_apart(&planned->call),
                          weft_mpi_verdict_told(), !can || !has_messages(planned)};
    int any[QUESTIONS] = {0};
    mpi.Allreduce(own, any, QUESTIONS, MPI_INT, MPI_MAX, comm);
    if (any[LACKS] || !any[IS_APART])
        return false;
    bool has_other = !any[LACKS_MESSAGES] && open_messages(planned);
    weft_mpi_verdict_begin_asked(&planned->verdict, any[TOLD], has_other);
    return true;
}

/* NULL if MPI is to do it. Whoever has no memory says so, and joins all the same. */
static struct recurrent *open_plan(const struct weft_mpi_packed_call *call, int *result)
{
    struct weft_mpi_packed_call own = *call;
    if (!is_possible(&own))
        return NULL;
    struct recurrent *planned = malloc(sizeof *planned);
    if (planned)
        *planned = (struct recurrent){.plan = {start, drop},
                                      .task = {is_over, end},
                                      .call = own,
                                      .by_mpi = MPI_REQUEST_NULL,
                                      .by_bytes = MPI_REQUEST_NULL,
                                      .sums = MPI_REQUEST_NULL,
                                      .messages.out.type = MPI_DATATYPE_NULL,
                                      .messages.in.type = MPI_DATATYPE_NULL};
    if (are_ready(planned, call->comm)) {
        /* MPICH 4.0.2 takes what a process keeps for itself when the request is made. */
        *result = weft_mpi_packed_load(&planned->call);
        return planned;
    }
    if (planned)
        drop(&planned->plan);
    return NULL;
}

/* The request that the program holds is never started itself. */
static int keep(struct recurrent *planned, int result, MPI_Request *request)
{
    MPI_Comm comm = planned->call.comm;
    if (result == MPI_SUCCESS)
        result = mpi.Allreduce_init(planned->verdict.least, planned->all, WEFT_MPI_VERDICT_WAYS,
                                    MPI_UINT64_T, MPI_SUM, comm, MPI_INFO_NULL, &planned->sums);
    if (result == MPI_SUCCESS) {
        if (weft_mpi_persistent_plan(comm, &planned->plan, *request))
            return result;
        result = weft_mpi_raise_no_memory(comm);
    }
    drop(&planned->plan);
    mpi.Request_free(request);
    return result;
}

/* ---- The calls ----------------------------------------------------------------------------- */

#define BARE(...) __VA_ARGS__

/* As DEFINE of gather.c. */
#define DEFINE(name, by_bytes_name, parameters, arguments, bytes, ...)                            \
    int MPI_##name(BARE parameters, MPI_Info info, MPI_Request *request)                          \
    {                                                                                             \
        int result = mpi.name(BARE arguments, info, request);                                     \
        if (result != MPI_SUCCESS || !WEFT_MPI_IS_OURS)                                           \
            return result;                                                                        \
        weft_mpi_absent_pass("MPI_" #name);                                                       \
        const struct weft_mpi_packed_call asked = {.comm = comm, __VA_ARGS__};                    \
        struct recurrent *planned = open_plan(&asked, &result);                                   \
        if (!planned)                                                                             \
            return result;                                                                        \
        const struct weft_mpi_packed_call call = planned->call;                                   \
        if (result == MPI_SUCCESS)                                                                \
            result = mpi.name(BARE arguments, info, &planned->by_mpi);                            \
        if (result == MPI_SUCCESS)                                                                \
            result = mpi.by_bytes_name(BARE bytes, info, &planned->by_bytes);                     \
        return keep(planned, result, request);                                                    \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

#define DEFINE_SIZE(name, by_bytes, SIZE, OUT, IN, WHO, family, varies)                           \
    DEFINE(name, by_bytes,                                                                        \
           (WEFT_MPI_##OUT##_PARAMETERS(SIZE), WEFT_MPI_##IN##_PARAMETERS(SIZE),                  \
            WEFT_MPI_##WHO##_PARAMETERS),                                                         \
           (WEFT_MPI_##OUT##_ARGUMENTS, WEFT_MPI_##IN##_ARGUMENTS, WEFT_MPI_##WHO##_ARGUMENTS),   \
           (WEFT_MPI_##OUT##_BYTES, WEFT_MPI_##IN##_BYTES, WEFT_MPI_##WHO##_ARGUMENTS),           \
           WEFT_MPI_PACKED_SIDES(SIZE, OUT, IN, WHO, family, varies))

#define DEFINE_ALL(name, OUT, IN, WHO, family, varies)                                            \
    DEFINE_SIZE(name##_init, name##_init, INT, OUT, IN, WHO, family, varies)                      \
    DEFINE_SIZE(name##_init_c, name##_init, LARGE, OUT, IN, WHO, family, varies)

#define DEFINE_BROADCAST(name, number)                                                            \
    DEFINE(name, Bcast_init, (WEFT_MPI_BROADCAST_PARAMETERS(number)),                             \
           (WEFT_MPI_BROADCAST_ARGUMENTS), (WEFT_MPI_BROADCAST_BYTES), WEFT_MPI_BROADCAST_SIDES)

DEFINE_BROADCAST(Bcast_init, int)
DEFINE_BROADCAST(Bcast_init_c, MPI_Count)
DEFINE_ALL(Gather, OUT_ONE, IN_ONE, ROOTED, WEFT_MPI_GATHER, false)
DEFINE_ALL(Gatherv, OUT_ONE, IN_MANY, ROOTED, WEFT_MPI_GATHER, true)
DEFINE_ALL(Scatter, OUT_ONE, IN_ONE, ROOTED, WEFT_MPI_SCATTER, false)
DEFINE_ALL(Scatterv, OUT_MANY, IN_ONE, ROOTED, WEFT_MPI_SCATTER, true)
DEFINE_ALL(Allgather, OUT_ONE, IN_ONE, EQUAL, WEFT_MPI_GATHER_ALL, false)
DEFINE_ALL(Allgatherv, OUT_ONE, IN_MANY, EQUAL, WEFT_MPI_GATHER_ALL, true)
DEFINE_ALL(Alltoall, OUT_ONE, IN_ONE, EQUAL, WEFT_MPI_ALL_TO_ALL, false)
DEFINE_ALL(Alltoallv, OUT_MANY, IN_MANY, EQUAL, WEFT_MPI_ALL_TO_ALL, true)
