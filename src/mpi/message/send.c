/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/send.h"

#include <string.h>

#include "mpi/layout/buffer.h"
#include "mpi/message/complete.h"
#include "mpi/message/habit.h"
#include "mpi/start/ranks.h"
#include "transfer/net.h"

/* ---- What MPI sends ------------------------------------------------------------------------ */

#define EITHER(blocking, begun)                                                                   \
    (request ? WEFT_MPI_BY_ARGS(args, begun, , request) : WEFT_MPI_BY_ARGS(args, blocking, ))

/* Blocking without a request. */
static int send_by_mpi(const struct weft_mpi_args *args, MPI_Request *request)
{
    switch (args->mode) {
    case WEFT_MPI_BUFFERED:
        return EITHER(Bsend, Ibsend);
    case WEFT_MPI_SYNCHRONOUS:
        return EITHER(Ssend, Issend);
    case WEFT_MPI_READY:
        return EITHER(Rsend, Irsend);
    default:
        return EITHER(Send, Isend);
    }
}

/* ---- How far ahead ------------------------------------------------------------------------- */

/* A send that is over before anybody has received it costs memory that the program has not asked
 * for: packed data, until MPI has sent them, and what was offered, once nobody has come for it in
 * time and it is copied. A program that sends and sends while its receiver computes would fill all
 * memory, where MPI's own send waits. So beyond these bounds MPI sends. */
#define MOST_COPIED ((size_t)64 << 20)     /* bytes of sends that have returned */
#define MOST_UNDER_WAY ((size_t)256 << 20) /* of those with a request, but always one */

static bool is_too_far_ahead(size_t bytes, bool has_request)
{
    size_t owed = weft_mpi_operation_owed();
    return (has_request && owed > 0 && owed + bytes > MOST_UNDER_WAY) ||
           (weft_mpi.net && weft_net_copied(weft_mpi.net) > MOST_COPIED);
}

/* ---- By ticket ----------------------------------------------------------------------------- */

/* weft_announce, or weft_net_offer_together. */
typedef int offer_call(weft_net *net, const weft_type *type, size_t count, const void *base,
                       int taker, uint64_t *number, weft_request **out);

/* False if too much is under way. */
static bool offer(offer_call *call, const struct weft_mpi_data *data,
                  const struct weft_mpi_args *args, union weft_mpi_envelope *sent,
                  weft_request **transfer)
{
    struct weft_mpi_ticket *ticket = &sent->ticket;
    memset(sent, 0, sizeof *sent);
    *ticket = (struct weft_mpi_ticket){.bytes = data->bytes,
                                       .sender = (uint32_t)weft_mpi.rank,
                                       .is_synchronous = args->mode == WEFT_MPI_SYNCHRONOUS};
    memcpy(ticket->secret, weft_mpi.secret, sizeof ticket->secret);
    int error =
        call(weft_mpi.net, weft_mpi_data_type(data), weft_mpi_data_count(data), data->buffer,
             weft_mpi_peer(args->comm, args->peer), &ticket->number, transfer);
    if (error) {
        weft_mpi_count_reason(WEFT_MPI_BUSY);
        return false;
    }
    if (data->type)
        weft_mpi_count_sent(data->type->form, WEFT_MPI_PULLED, data->bytes);
    return true;
}

/* MPI has refused the ticket: nobody will ever take what is offered. */
static void withdraw(weft_request **transfer)
{
    if (weft_cancel(*transfer) == WEFT_OK)
        weft_wait(transfer, -1, NULL);
}

/* The ticket is on its way. True if the memory is free already: short data that has left is
 * copied, so that the sender need not wait until it has been taken. Who has sent so much that it
 * must be asked for waits: the program may go where nobody answers. */
static bool follow(weft_request **transfer, size_t bytes)
{
    bool has_left = weft_follow(*transfer) == WEFT_OK;
    bool is_free = has_left && bytes <= WEFT_NET_COPIED && weft_release(transfer) == WEFT_OK;
    if (is_free)
        weft_mpi_thread_wake();
    return is_free;
}

/* MPI may answer with a request that stands for all sends that are over; then there is nothing to
 * remember. */
static void begin_or_drop(struct weft_mpi_operation *operation, MPI_Request request)
{
    int is_over = 0;
    mpi.Request_get_status(request, &is_over, MPI_STATUS_IGNORE);
    if (is_over)
        weft_mpi_operation_drop(operation);
    else
        weft_mpi_operation_begin(operation, request);
}

/* WEFT_MPI_TRY_AGAIN: not this way. Otherwise it takes over the data, and the copy that they are
 * in, or NULL. */
static int isend_ticket(offer_call *call, struct weft_mpi_data *data, void *copy,
                        const struct weft_mpi_args *args, MPI_Request *request)
{
    struct weft_mpi_operation *operation =
        weft_mpi_operation_new(WEFT_MPI_SEND_TICKET, args->comm, NULL);
    if (!operation || !offer(call, data, args, operation->sent, &operation->transfer)) {
        if (operation)
            weft_mpi_operation_drop(operation);
        return WEFT_MPI_TRY_AGAIN;
    }
    operation->is_synchronous = args->mode == WEFT_MPI_SYNCHRONOUS;
    operation->cargo.data = *data;
    operation->cargo.buffer = copy;
    weft_mpi_operation_owe(operation, data->bytes);
    data->type = NULL;
    const struct weft_mpi_args ticket =
        weft_mpi_args_of_bytes(args, operation->sent, weft_mpi.ticket_size);
    int result = send_by_mpi(&ticket, &operation->inner);
    if (result != MPI_SUCCESS) {
        withdraw(&operation->transfer);
        weft_mpi_operation_drop(operation);
        return result;
    }
    weft_follow(operation->transfer);
    weft_mpi_thread_count(1);
    weft_mpi_thread_wake();
    return weft_mpi_operation_begin_general(operation, request);
}

static int send_ticket(offer_call *call, struct weft_mpi_data *data,
                       const struct weft_mpi_args *args)
{
    union weft_mpi_envelope ticket;
    weft_request *transfer;
    uint64_t since = weft_mpi_clock();
    if (!offer(call, data, args, &ticket, &transfer))
        return WEFT_MPI_TRY_AGAIN;
    const struct weft_mpi_args instead =
        weft_mpi_args_of_bytes(args, &ticket, weft_mpi.ticket_size);
    int result = send_by_mpi(&instead, NULL);
    if (result != MPI_SUCCESS) {
        withdraw(&transfer);
        return result;
    }
    if (!follow(&transfer, data->bytes))
        result = weft_mpi_raise(args->comm, weft_mpi_wait_given(&transfer, data->bytes));
    weft_mpi_data_count_waited(data, since);
    return result;
}

/* ---- Synchronous ones by ticket ------------------------------------------------------------ */

/*
 * A synchronous send ends when its receive has begun. The ticket is sent synchronously, so MPI
 * says when. But whoever probes takes what is as long as a ticket out of MPI, which ends its send,
 * and has to tell the sender that nobody wants it yet. Data is not sent unasked: the end of an
 * offer says that somebody has received it.
 */
static int ssend_ticket(struct weft_mpi_data *data, void *copy, const struct weft_mpi_args *args,
                        MPI_Request *request)
{
    MPI_Request own;
    if (request)
        return isend_ticket(weft_offer, data, copy, args, request);
    int result = isend_ticket(weft_offer, data, copy, args, &own);
    return result == MPI_SUCCESS ? weft_mpi_wait(&own, MPI_STATUS_IGNORE) : result;
}

/* Only of tickets can a receiver tell that nobody wants them yet, so this must be one. */
static bool is_long_as_ticket(const struct weft_mpi_args *args, const struct weft_mpi_data *data)
{
    int receiver = weft_mpi_peer(args->comm, args->peer);
    return data->bytes == weft_mpi.ticket_size && receiver >= 0 && receiver != weft_mpi.rank;
}

static bool open_long_as_ticket(const struct weft_mpi_args *args, struct weft_mpi_data *data)
{
    if (args->mode != WEFT_MPI_SYNCHRONOUS || !weft_mpi.net || args->peer < 0 ||
        args->count <= 0 || weft_mpi_is_short(args->count, args->type) ||
        weft_mpi_data_open(args->buffer, args->count, args->type, data) != WEFT_MPI_FOUND)
        return false;
    if (is_long_as_ticket(args, data))
        return true;
    weft_mpi_data_close(data);
    return false;
}

bool weft_mpi_send_is_long_as_ticket(const struct weft_mpi_args *args)
{
    struct weft_mpi_data data;
    bool is_it = open_long_as_ticket(args, &data);
    if (is_it)
        weft_mpi_data_close(&data);
    return is_it;
}

/* False if MPI must do it: there is no memory, or too much is under way. */
static bool ssend_long_as_ticket(const struct weft_mpi_args *args, struct weft_mpi_data *data,
                                 MPI_Request *request, int *result)
{
    void *copy = weft_mpi_buffer_take(data->bytes);
    struct weft_mpi_data copied = {.buffer = copy, .count = data->bytes, .bytes = data->bytes};
    *result = WEFT_MPI_TRY_AGAIN;
    if (copy && weft_mpi_data_pack(data, copy) == MPI_SUCCESS)
        *result = ssend_ticket(&copied, copy, args, request);
    if (*result == WEFT_MPI_TRY_AGAIN)
        weft_mpi_buffer_give(copy);
    weft_mpi_data_close(data);
    return *result != WEFT_MPI_TRY_AGAIN;
}

/* ---- Packed -------------------------------------------------------------------------------- */

static void *pack(const struct weft_mpi_data *data)
{
    void *buffer = weft_mpi_buffer_take(data->bytes);
    if (buffer && weft_mpi_data_pack(data, buffer) == MPI_SUCCESS) {
        weft_mpi_count_sent(data->type->form, WEFT_MPI_PACKED, data->bytes);
        return buffer;
    }
    weft_mpi_buffer_give(buffer);
    weft_mpi_count_reason(WEFT_MPI_NO_MEMORY);
    return NULL;
}

static int send_packed(const struct weft_mpi_data *data, const struct weft_mpi_args *args)
{
    void *buffer = pack(data);
    if (!buffer)
        return WEFT_MPI_TRY_AGAIN;
    const struct weft_mpi_args packed = weft_mpi_args_of_bytes(args, buffer, data->bytes);
    int result = send_by_mpi(&packed, NULL);
    weft_mpi_buffer_give(buffer);
    return result;
}

static int isend_packed(const struct weft_mpi_data *data, const struct weft_mpi_args *args,
                        MPI_Request *request)
{
    struct weft_mpi_operation *operation =
        weft_mpi_operation_new(WEFT_MPI_SEND_PACKED, args->comm, NULL);
    if (!operation)
        return WEFT_MPI_TRY_AGAIN;
    operation->cargo.buffer = pack(data);
    const struct weft_mpi_args packed =
        weft_mpi_args_of_bytes(args, operation->cargo.buffer, data->bytes);
    int result = operation->cargo.buffer ? send_by_mpi(&packed, request) : WEFT_MPI_TRY_AGAIN;
    weft_mpi_operation_owe(operation, data->bytes);
    if (result == MPI_SUCCESS)
        begin_or_drop(operation, *request);
    else
        weft_mpi_operation_drop(operation);
    return result;
}

/* ---- In one piece -------------------------------------------------------------------------- */

static int send_bytes(const struct weft_mpi_data *data, const struct weft_mpi_args *args,
                      MPI_Request *request)
{
    const struct weft_mpi_args bytes = weft_mpi_args_of_bytes(args, data->buffer, data->bytes);
    return send_by_mpi(&bytes, request);
}

/* ---- Any way ------------------------------------------------------------------------------- */

/* NULL unless it goes by ticket. */
static offer_call *offer_call_of(enum weft_mpi_route route)
{
    return route == WEFT_MPI_BY_TICKET  ? weft_announce
           : route == WEFT_MPI_TOGETHER ? weft_net_offer_together
                                        : NULL;
}

static int send_by_ticket(enum weft_mpi_route route, struct weft_mpi_data *data,
                          const struct weft_mpi_args *args, MPI_Request *request)
{
    offer_call *call = offer_call_of(route);
    if (!call)
        return WEFT_MPI_TRY_AGAIN;
    if (args->mode == WEFT_MPI_SYNCHRONOUS)
        return ssend_ticket(data, NULL, args, request);
    return request ? isend_ticket(call, data, NULL, args, request) : send_ticket(call, data, args);
}

/* ---- The calls ----------------------------------------------------------------------------- */

/* Blocking without a request. False if MPI must do it. */
static bool send_any_way(const struct weft_mpi_args *args, MPI_Request *request, int *result)
{
    struct weft_mpi_data data;
    struct weft_mpi_args sent;
    if (open_long_as_ticket(args, &data))
        return ssend_long_as_ticket(args, &data, request, result);
    if (weft_mpi_habit_sends(args, !request, &sent)) {
        bool is_as_bytes = sent.type != args->type;
        if (is_as_bytes)
            *result = send_by_mpi(&sent, request);
        return is_as_bytes;
    }
    if (args->peer != MPI_PROC_NULL && !args->is_judged &&
        weft_mpi_route_is_brief(args->buffer, args->count, args->type)) {
        weft_mpi_count_reason(WEFT_MPI_NEW_TYPE);
        return false;
    }
    if (weft_mpi_habit_sends_alike(args, !request))
        return false;
    enum weft_mpi_route route = weft_mpi_route_send(args, !request, &data);
    if (route == WEFT_MPI_NATIVE)
        return false;
    if (is_too_far_ahead(data.bytes, request)) {
        weft_mpi_count_reason(WEFT_MPI_AHEAD);
        weft_mpi_data_close(&data);
        return false;
    }
    bool is_one_piece = !data.type;
    *result = send_by_ticket(route, &data, args, request);
    if (*result == WEFT_MPI_TRY_AGAIN && is_one_piece)
        *result = send_bytes(&data, args, request);
    if (*result == WEFT_MPI_TRY_AGAIN)
        *result = request ? isend_packed(&data, args, request) : send_packed(&data, args);
    weft_mpi_data_close(&data);
    return *result != WEFT_MPI_TRY_AGAIN;
}

bool weft_mpi_send(const struct weft_mpi_args *args, int *result)
{
    return send_any_way(args, NULL, result);
}

bool weft_mpi_isend(const struct weft_mpi_args *args, MPI_Request *request, int *result)
{
    return send_any_way(args, request, result);
}

int weft_mpi_isend_any(const struct weft_mpi_args *args, MPI_Request *request)
{
    int result;
    return weft_mpi_isend(args, request, &result) ? result : send_by_mpi(args, request);
}

#define ARGS(mode_)                                                                               \
    {                                                                                             \
        .is_send = true, .mode = (mode_), .buffer = (void *)buf, .count = count,                  \
        .type = datatype, .peer = dest, .tag = tag, .comm = comm                                  \
    }

/* For a quick look before. */
static inline bool is_of_mpi(int64_t count, MPI_Datatype type, enum weft_mpi_mode mode)
{
    return mode == WEFT_MPI_SYNCHRONOUS && weft_mpi.net ? weft_mpi_is_short(count, type)
                                                        : weft_mpi_route_is_of_mpi(count, type);
}

/* The same, of what MPI has sent before. Of a synchronous one the size is to be looked at. */
static inline bool is_habit(int64_t count, MPI_Datatype type, int peer, MPI_Comm comm,
                            enum weft_mpi_mode mode, bool is_blocking)
{
    return mode != WEFT_MPI_SYNCHRONOUS &&
           weft_mpi_habit_is_native(type, count, peer, comm, is_blocking);
}

#define DEFINE_SEND(name, number, mode)                                                           \
    WEFT_MPI_APART int look_at_##name(const void *buf, number count, MPI_Datatype datatype,       \
                                      int dest, int tag, MPI_Comm comm, const void *caller)       \
    {                                                                                             \
        const struct weft_mpi_args args = ARGS(mode);                                             \
        int result;                                                                               \
        return !weft_mpi_is_library(caller) && weft_mpi_send(&args, &result)                      \
                   ? result                                                                       \
                   : mpi.name(buf, count, datatype, dest, tag, comm);                             \
    }                                                                                             \
    int MPI_##name(const void *buf, number count, MPI_Datatype datatype, int dest, int tag,       \
                   MPI_Comm comm)                                                                 \
    {                                                                                             \
        if (is_of_mpi(count, datatype, mode) || !weft_mpi.is_on ||                                \
            is_habit(count, datatype, dest, comm, mode, true))                                    \
            return mpi.name(buf, count, datatype, dest, tag, comm);                               \
        return look_at_##name(buf, count, datatype, dest, tag, comm,                              \
                              __builtin_return_address(0));                                       \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

#define DEFINE_ISEND(name, number, mode)                                                          \
    WEFT_MPI_APART int look_at_##name(const void *buf, number count, MPI_Datatype datatype,       \
                                      int dest, int tag, MPI_Comm comm, MPI_Request *request,     \
                                      const void *caller)                                         \
    {                                                                                             \
        const struct weft_mpi_args args = ARGS(mode);                                             \
        int result;                                                                               \
        return !weft_mpi_is_library(caller) && weft_mpi_isend(&args, request, &result)            \
                   ? result                                                                       \
                   : mpi.name(buf, count, datatype, dest, tag, comm, request);                    \
    }                                                                                             \
    int MPI_##name(const void *buf, number count, MPI_Datatype datatype, int dest, int tag,       \
                   MPI_Comm comm, MPI_Request *request)                                           \
    {                                                                                             \
        if (is_of_mpi(count, datatype, mode) || !weft_mpi.is_on ||                                \
            is_habit(count, datatype, dest, comm, mode, false))                                   \
            return mpi.name(buf, count, datatype, dest, tag, comm, request);                      \
        return look_at_##name(buf, count, datatype, dest, tag, comm, request,                     \
                              __builtin_return_address(0));                                       \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

WEFT_MPI_BOTH_COUNTS(DEFINE_SEND, Send, WEFT_MPI_STANDARD);
WEFT_MPI_BOTH_COUNTS(DEFINE_SEND, Rsend, WEFT_MPI_READY);
WEFT_MPI_BOTH_COUNTS(DEFINE_SEND, Bsend, WEFT_MPI_BUFFERED);
WEFT_MPI_BOTH_COUNTS(DEFINE_SEND, Ssend, WEFT_MPI_SYNCHRONOUS);
WEFT_MPI_BOTH_COUNTS(DEFINE_ISEND, Isend, WEFT_MPI_STANDARD);
WEFT_MPI_BOTH_COUNTS(DEFINE_ISEND, Irsend, WEFT_MPI_READY);
WEFT_MPI_BOTH_COUNTS(DEFINE_ISEND, Ibsend, WEFT_MPI_BUFFERED);
WEFT_MPI_BOTH_COUNTS(DEFINE_ISEND, Issend, WEFT_MPI_SYNCHRONOUS);
