/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/receive.h"

#include "mpi/guard.h"
#include "mpi/message/complete.h"
#include "mpi/message/habit.h"
#include "mpi/message/probe.h"
#include "mpi/message/watch.h"

/* ---- Tickets ------------------------------------------------------------------------------- */

static int begin_take(const struct weft_mpi_ticket *ticket, struct weft_mpi_cargo *cargo,
                      weft_request **transfer)
{
    int class;
    unsigned looks = 0;
    while ((class = weft_mpi_cargo_take(cargo, ticket, transfer)) == WEFT_MPI_TRY_AGAIN)
        weft_mpi_idle(&looks);
    weft_mpi_go_on(looks);
    return class;
}

int weft_mpi_receive_ticket(const struct weft_mpi_ticket *ticket, struct weft_mpi_cargo *cargo,
                            MPI_Comm comm, MPI_Status *status)
{
    weft_request *transfer;
    uint64_t since = weft_mpi_clock();
    weft_mpi_thread_enter();
    int class = begin_take(ticket, cargo, &transfer);
    if (class == MPI_SUCCESS)
        class = weft_mpi_wait_taken(&transfer);
    weft_mpi_thread_leave();
    class = weft_mpi_cargo_taken(cargo, ticket, class, since);
    weft_mpi_status_bytes(status, weft_mpi_cargo_bytes(cargo, ticket));
    weft_mpi_cargo_close(cargo);
    return weft_mpi_raise(comm, class);
}

int weft_mpi_ireceive_ticket(const struct weft_mpi_ticket *ticket, const MPI_Status *status,
                             struct weft_mpi_cargo *cargo, MPI_Comm comm, MPI_Request *request)
{
    struct weft_mpi_operation *operation = weft_mpi_operation_new(WEFT_MPI_TAKE, comm, cargo);
    if (!operation)
        return weft_mpi_raise_no_memory(comm);
    operation->status = *status;
    operation->ticket = *ticket;
    operation->has_arrived = operation->is_pulled = true;
    operation->error = begin_take(ticket, &operation->cargo, &operation->transfer);
    int result = weft_mpi_operation_begin_general(operation, request);
    weft_mpi_thread_wake();
    return result;
}

/* ---- By MPI -------------------------------------------------------------------------------- */

static int receive_by_mpi(const struct weft_mpi_args *args, MPI_Status *status)
{
    return WEFT_MPI_BY_ARGS(args, Recv, , status);
}

/* ---- One receive --------------------------------------------------------------------------- */

/* What has come is a ticket, or packed, or in its place already. */
static int settle(struct weft_mpi_cargo *cargo, MPI_Comm comm, MPI_Status *status)
{
    struct weft_mpi_ticket ticket;
    if (weft_mpi_cargo_ticket(cargo, status, &ticket))
        return weft_mpi_receive_ticket(&ticket, cargo, comm, status);
    int class = weft_mpi_cargo_settle(cargo, status);
    weft_mpi_cargo_close(cargo);
    return weft_mpi_raise(comm, class);
}

/* Nothing of ours is under way, so MPI may wait as it likes. */
static int receive_alone(const struct weft_mpi_args *args, struct weft_mpi_cargo *cargo,
                         MPI_Status *status)
{
    MPI_Status own;
    own.MPI_ERROR = MPI_SUCCESS;
    const struct weft_mpi_args instead = weft_mpi_cargo_args(args, cargo);
    int result = receive_by_mpi(&instead, &own);
    if (result == MPI_SUCCESS)
        result = settle(cargo, args->comm, &own);
    else
        weft_mpi_cargo_close(cargo);
    weft_mpi_status_copy(status, &own);
    return result;
}

static int begin_receive(const struct weft_mpi_args *args, struct weft_mpi_cargo *cargo,
                         MPI_Request *request)
{
    struct weft_mpi_operation *operation =
        weft_mpi_operation_new(WEFT_MPI_RECEIVE, args->comm, cargo);
    if (!operation)
        return weft_mpi_raise_no_memory(args->comm);
    const struct weft_mpi_args instead = weft_mpi_cargo_args(args, &operation->cargo);
    int result = weft_mpi_begin_by_args(&instead, request);
    operation->is_lasting = instead.is_made;
    if (result == MPI_SUCCESS)
        weft_mpi_operation_begin(operation, *request);
    else
        weft_mpi_operation_drop(operation);
    return result;
}

static int begin_watched(const struct weft_mpi_args *args, struct weft_mpi_cargo *cargo,
                         MPI_Request *request)
{
    int result;
    return weft_mpi_watch_begin(args, cargo, request, &result)
               ? result
               : begin_receive(args, cargo, request);
}

typedef int begin_call(const struct weft_mpi_args *args, struct weft_mpi_cargo *cargo,
                       MPI_Request *request);

/* Blocking without a request. */
static bool receive(const struct weft_mpi_args *args, begin_call *begin, MPI_Request *request,
                    MPI_Status *status, int *result)
{
    struct weft_mpi_cargo cargo;
    if (request ? weft_mpi_peeked_ireceive(args, request, result)
                : weft_mpi_peeked_receive(args, status, result))
        return true;
    enum weft_mpi_arrival arrival = weft_mpi_cargo_open(args, &cargo);
    if (arrival == WEFT_MPI_NOWHERE)
        *result = weft_mpi_raise_no_memory(args->comm);
    else if (arrival == WEFT_MPI_SEEN)
        *result = request ? begin(args, &cargo, request) : receive_alone(args, &cargo, status);
    return arrival != WEFT_MPI_UNSEEN;
}

/* What a probe of another thread has just taken out of MPI is either found, or was never there. */
static bool begin_by(begin_call *begin, const struct weft_mpi_args *args, MPI_Request *request,
                     int *result)
{
    weft_mpi_lock(&weft_mpi_posting);
    bool is_ours = receive(args, begin, request, MPI_STATUS_IGNORE, result);
    weft_mpi_unlock(&weft_mpi_posting);
    return is_ours;
}

bool weft_mpi_ireceive(const struct weft_mpi_args *args, MPI_Request *request, int *result)
{
    return begin_by(begin_receive, args, request, result);
}

/* While something of ours is under way, MPI must not wait alone; nor may it be asked to wait while
 * another thread may probe. */
bool weft_mpi_receive(const struct weft_mpi_args *args, MPI_Status *status, int *result)
{
    MPI_Request request;
    struct weft_mpi_args blocking = *args;
    blocking.is_blocking = true;
    if (!weft_mpi_operation_is_any() && !weft_mpi.is_threaded)
        return receive(&blocking, NULL, NULL, status, result);
    if (!weft_mpi_ireceive(&blocking, &request, result))
        return false;
    if (*result == MPI_SUCCESS)
        *result = weft_mpi_wait(&request, status);
    return true;
}

int weft_mpi_ireceive_any(const struct weft_mpi_args *args, MPI_Request *request)
{
    int result;
    return weft_mpi_ireceive(args, request, &result) ? result
                                                     : weft_mpi_begin_by_args(args, request);
}

/* ---- The calls ----------------------------------------------------------------------------- */

/* What MPI alone deals with must not wait alone, either, while something of ours is under way. */
static bool receive_meanwhile(const struct weft_mpi_args *args, MPI_Status *status, int *result)
{
    MPI_Request request;
    if (weft_mpi_receive(args, status, result))
        return true;
    if (!weft_mpi_operation_is_any())
        return false;
    *result = weft_mpi_begin_by_args(args, &request);
    if (*result == MPI_SUCCESS)
        *result = weft_mpi_wait(&request, status);
    return true;
}

bool weft_mpi_ireceive_for_program(const struct weft_mpi_args *args, MPI_Request *request,
                                   int *result)
{
    return weft_mpi_watch_ireceive(args, request, result) ||
           begin_by(begin_watched, args, request, result);
}

static inline bool begin_needs_look(int64_t count, MPI_Datatype type, int source)
{
    (void)source;
    return !weft_mpi_is_short(count, type) || weft_mpi_is_anything_peeked();
}

static inline bool wait_needs_look(int64_t count, MPI_Datatype type, int source)
{
    return source != MPI_PROC_NULL &&
           (begin_needs_look(count, type, source) || weft_mpi_is_under_way());
}

/* What MPI has received before without anybody looking at it. */
static inline bool begin_is_habit(int64_t count, MPI_Datatype type, int source, MPI_Comm comm)
{
    return !weft_mpi_is_anything_peeked() &&
           weft_mpi_habit_is_unseen(type, count, source, comm, false);
}

static inline bool wait_is_habit(int64_t count, MPI_Datatype type, int source, MPI_Comm comm)
{
    return !weft_mpi_is_anything_peeked() && !weft_mpi_is_under_way() &&
           weft_mpi_habit_is_unseen(type, count, source, comm, true);
}

/* The last argument is a status, or a request if the call only begins to receive. */
#define DEFINE_RECEIVE(name, number, answer, needs_look, is_habit, by_us)                         \
    WEFT_MPI_APART int look_at_##name(void *buf, number count, MPI_Datatype datatype, int source, \
                                      int tag, MPI_Comm comm, answer *end, const void *caller)    \
    {                                                                                             \
        const struct weft_mpi_args args = {.buffer = buf,                                         \
                                           .count = count,                                        \
                                           .type = datatype,                                      \
                                           .peer = source,                                        \
                                           .tag = tag,                                            \
                                           .comm = comm};                                         \
        int result;                                                                               \
        return !weft_mpi_is_library(caller) && by_us(&args, end, &result)                         \
                   ? result                                                                       \
                   : mpi.name(buf, count, datatype, source, tag, comm, end);                      \
    }                                                                                             \
    int MPI_##name(void *buf, number count, MPI_Datatype datatype, int source, int tag,           \
                   MPI_Comm comm, answer *end)                                                    \
    {                                                                                             \
        if (!needs_look(count, datatype, source) || !weft_mpi.is_on ||                            \
            is_habit(count, datatype, source, comm))                                              \
            return mpi.name(buf, count, datatype, source, tag, comm, end);                        \
        return look_at_##name(buf, count, datatype, source, tag, comm, end,                       \
                              __builtin_return_address(0));                                       \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

WEFT_MPI_BOTH_COUNTS(DEFINE_RECEIVE, Recv, MPI_Status, wait_needs_look, wait_is_habit,
                     receive_meanwhile);
WEFT_MPI_BOTH_COUNTS(DEFINE_RECEIVE, Irecv, MPI_Request, begin_needs_look, begin_is_habit,
                     weft_mpi_ireceive_for_program);
