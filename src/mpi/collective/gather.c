/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that spread or gather data. MPI does them, by its own algorithms, but of bytes that
 * lie together (packed.h); or they go in messages of our own (spread.h). Which is the fastest is
 * tried, for each communicator and kind.
 */
#include <stdlib.h>

#include "mpi/collective/define.h"
#include "mpi/collective/packed.h"
#include "mpi/collective/shadow.h"
#include "mpi/collective/spread.h"
#include "mpi/message/operation.h"

/* ---- Calls --------------------------------------------------------------------------------- */

static int end(struct weft_mpi_packed_call *call, int result)
{
    if (result == MPI_SUCCESS)
        result = weft_mpi_packed_unload(call);
    weft_mpi_packed_close(call);
    return result;
}

/* Whether it goes by bytes: then it has begun, unless it has failed. */
static bool begin_by_bytes(struct weft_mpi_packed_call *call, int *result)
{
    enum weft_mpi_readiness readiness = weft_mpi_packed_open(call);
    if (readiness == WEFT_MPI_READY_BY_BYTES)
        *result = weft_mpi_packed_load(call);
    else if (readiness == WEFT_MPI_WITHOUT_MEMORY)
        *result = weft_mpi_raise_no_memory(call->comm);
    if (readiness == WEFT_MPI_READY_BY_BYTES && *result == MPI_SUCCESS)
        return true;
    weft_mpi_packed_close(call);
    return *result != MPI_SUCCESS;
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

/* Of a root that is nobody MPI is to speak itself: no message may go there. */
static bool has_root(const struct weft_mpi_packed_call *call)
{
    return call->family == WEFT_MPI_GATHER_ALL || (call->root >= 0 && call->root < call->size);
}

/* NULL if MPI is to do it. Whatever this looks at is the same for all processes. */
static struct weft_mpi_verdict *find_verdict(struct weft_mpi_packed_call *call, bool may_wait,
                                             int *result)
{
    if (!weft_mpi_shadow_is_possible(call->comm))
        return NULL;
    weft_mpi_packed_set_roles(call);
    if (!has_root(call))
        return NULL;
    const struct weft_mpi_side *message = &weft_mpi_packed_measure(call)->side;
    if (!call->is_varied && weft_mpi_kind_is_short(message->count, message->type))
        return NULL;
    struct weft_mpi_verdict *verdict = weft_mpi_kind_verdict(call->comm, call->family, may_wait,
                                                             weft_mpi_packed_bytes(call), result);
    if (verdict && !verdict->is_wanted)
        verdict->is_wanted = weft_mpi_packed_is_apart(call);
    return verdict;
}

/* ---- With a request ------------------------------------------------------------------------ */

struct packed_task {
    struct weft_mpi_task task;
    struct weft_mpi_packed_call call;
    MPI_Request inner; /* of the bytes */
};

static bool is_over(struct weft_mpi_task *task, int *class)
{
    struct packed_task *packed = (struct packed_task *)task;
    int flag = 0;
    int result = mpi.Test(&packed->inner, &flag, MPI_STATUS_IGNORE);
    if (!flag && result == MPI_SUCCESS)
        return false;
    *class = end(&packed->call, result);
    return true;
}

static void drop(struct weft_mpi_task *task)
{
    free(task);
}

/* What cannot be remembered, for want of memory, is waited for here. MPI tells the error handler
 * of the program's communicator of its errors itself. */
static int follow(struct weft_mpi_packed_call *call, int result, MPI_Request *request)
{
    if (result != MPI_SUCCESS)
        return end(call, result);
    MPI_Request inner = *request;
    struct packed_task *packed = malloc(sizeof *packed);
    if (packed)
        *packed = (struct packed_task){{is_over, drop}, *call, inner};
    if (packed &&
        weft_mpi_operation_begin_task(weft_mpi.self, &packed->task, request) == MPI_SUCCESS)
        return MPI_SUCCESS;
    free(packed);
    result = end(call, mpi.Wait(&inner, MPI_STATUS_IGNORE));
    *request = inner;
    return result;
}

/* ---- Definitions --------------------------------------------------------------------------- */

#define BARE(...) __VA_ARGS__

/* How it is decided who does it, and how it ends. */
#define WAITS true
#define WAITS_IS_OURS(verdict) weft_mpi_verdict_is_ours(verdict, comm)
#define WAITS_CLOCK(verdict) weft_mpi_verdict_clock(verdict)
#define WAITS_END(result) end(&call, result)
#define WAITS_REQUEST NULL
#define REQUESTS false
#define REQUESTS_IS_OURS(verdict) weft_mpi_kind_is_ours_at_once(verdict, comm)
#define REQUESTS_CLOCK(verdict) 0
#define REQUESTS_END(result) follow(&call, result, request)
#define REQUESTS_REQUEST request

/* DEFINE(name, form of it with counts that are no larger than ours, how large its own are, how it
 * ends, (parameters), (arguments), (arguments of bytes), what is known of the call) */
#define DEFINE(name, by_bytes, SIZE, END, parameters, arguments, bytes, ...)                      \
    int MPI_##name(BARE parameters)                                                               \
    {                                                                                             \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(BARE arguments);                                                      \
        struct weft_mpi_packed_call call = {.comm = comm, __VA_ARGS__};                           \
        int result = MPI_SUCCESS;                                                                 \
        struct weft_mpi_verdict *verdict = find_verdict(&call, END, &result);                     \
        if (result != MPI_SUCCESS)                                                                \
            return result;                                                                        \
        bool is_ours = verdict && END##_IS_OURS(verdict);                                         \
        uint64_t since = END##_CLOCK(verdict), slice = weft_mpi_slice_begin();                    \
        if (is_ours && verdict->way == WEFT_MPI_VERDICT_OTHER) {                                  \
            weft_mpi_absent_pass("MPI_" #name);                                                   \
            result = weft_mpi_spread(&call, END##_REQUEST);                                       \
            weft_mpi_slice_end(WEFT_MPI_SLICE_##name, slice);                                     \
        } else if (!is_ours || !begin_by_bytes(&call, &result)) {                                 \
            result = WEFT_MPI_NATIVELY_##SIZE(name)(BARE arguments);                              \
        } else if (result == MPI_SUCCESS) {                                                       \
            weft_mpi_absent_pass("MPI_" #name);                                                   \
            result = END##_END(mpi.by_bytes(BARE bytes));                                         \
            weft_mpi_slice_end(WEFT_MPI_SLICE_##name, slice);                                     \
        }                                                                                         \
        weft_mpi_verdict_note(verdict, since);                                                    \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

/* One that waits, and one that answers with a request. */
#define DEFINE_BOTH(name, requesting, by_bytes, requesting_by_bytes, SIZE, parameters, arguments, \
                    bytes, ...)                                                                   \
    DEFINE(name, by_bytes, SIZE, WAITS, parameters, arguments, bytes, __VA_ARGS__)                \
    DEFINE(requesting, requesting_by_bytes, SIZE, REQUESTS,                                       \
           (BARE parameters, MPI_Request * request), (BARE arguments, request),                   \
           (BARE bytes, request), __VA_ARGS__)

#define DEFINE_SIZE(name, requesting, by_bytes, requesting_by_bytes, SIZE, OUT, IN, WHO, family,  \
                    varies)                                                                       \
    DEFINE_BOTH(                                                                                  \
        name, requesting, by_bytes, requesting_by_bytes, SIZE,                                    \
        (WEFT_MPI_##OUT##_PARAMETERS(SIZE), WEFT_MPI_##IN##_PARAMETERS(SIZE),                     \
         WEFT_MPI_##WHO##_PARAMETERS),                                                            \
        (WEFT_MPI_##OUT##_ARGUMENTS, WEFT_MPI_##IN##_ARGUMENTS, WEFT_MPI_##WHO##_ARGUMENTS),      \
        (WEFT_MPI_##OUT##_BYTES, WEFT_MPI_##IN##_BYTES, WEFT_MPI_##WHO##_ARGUMENTS),              \
        WEFT_MPI_PACKED_SIDES(SIZE, OUT, IN, WHO, family, varies))

#define DEFINE_ALL(name, requesting, OUT, IN, WHO, family, varies)                                \
    DEFINE_SIZE(name, requesting, name, requesting, INT, OUT, IN, WHO, family, varies)            \
    DEFINE_SIZE(name##_c, requesting##_c, name, requesting, LARGE, OUT, IN, WHO, family, varies)

#define DEFINE_BROADCAST(name, requesting, number, SIZE)                                          \
    DEFINE_BOTH(name, requesting, Bcast, Ibcast, SIZE, (WEFT_MPI_BROADCAST_PARAMETERS(number)),   \
                (WEFT_MPI_BROADCAST_ARGUMENTS), (WEFT_MPI_BROADCAST_BYTES),                       \
                WEFT_MPI_BROADCAST_SIDES)

DEFINE_BROADCAST(Bcast, Ibcast, int, INT)
DEFINE_BROADCAST(Bcast_c, Ibcast_c, MPI_Count, LARGE)
DEFINE_ALL(Gather, Igather, OUT_ONE, IN_ONE, ROOTED, WEFT_MPI_GATHER, false)
DEFINE_ALL(Gatherv, Igatherv, OUT_ONE, IN_MANY, ROOTED, WEFT_MPI_GATHER, true)
DEFINE_ALL(Scatter, Iscatter, OUT_ONE, IN_ONE, ROOTED, WEFT_MPI_SCATTER, false)
DEFINE_ALL(Scatterv, Iscatterv, OUT_MANY, IN_ONE, ROOTED, WEFT_MPI_SCATTER, true)
DEFINE_ALL(Allgather, Iallgather, OUT_ONE, IN_ONE, EQUAL, WEFT_MPI_GATHER_ALL, false)
DEFINE_ALL(Allgatherv, Iallgatherv, OUT_ONE, IN_MANY, EQUAL, WEFT_MPI_GATHER_ALL, true)
