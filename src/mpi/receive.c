/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/receive.h"

#include <string.h>

#include "mpi/buffer.h"
#include "mpi/complete.h"
#include "mpi/probe.h"

/* ---- Tickets ------------------------------------------------------------------------------- */

static int begin_take(const struct weft_mpi_ticket *ticket, const struct weft_mpi_data *data,
                      weft_request **transfer)
{
    int class;
    unsigned looks = 0;
    while ((class = weft_mpi_take(ticket, data, transfer)) == WEFT_MPI_TRY_AGAIN)
        weft_mpi_idle(&looks);
    weft_mpi_go_on(looks);
    return class;
}

int weft_mpi_receive_ticket(const struct weft_mpi_ticket *ticket, struct weft_mpi_data *data,
                            MPI_Comm comm, MPI_Status *status)
{
    weft_request *transfer;
    uint64_t since = weft_mpi_clock();
    size_t bytes = ticket->bytes < data->bytes ? ticket->bytes : data->bytes;
    weft_mpi_thread_enter();
    int class = begin_take(ticket, data, &transfer);
    if (class == MPI_SUCCESS)
        class = weft_mpi_wait_taken(&transfer);
    weft_mpi_thread_leave();
    weft_mpi_data_count_pulled(data, bytes, since);
    weft_mpi_data_close(data);
    weft_mpi_status_bytes(status, bytes);
    return weft_mpi_raise(comm, class);
}

int weft_mpi_ireceive_ticket(const struct weft_mpi_ticket *ticket, const MPI_Status *status,
                             struct weft_mpi_data *data, MPI_Comm comm, MPI_Request *request)
{
    struct weft_mpi_operation *operation = weft_mpi_operation_new(WEFT_MPI_TAKE, comm, data);
    if (!operation)
        return weft_mpi_raise(comm, MPI_ERR_NO_MEM);
    operation->status = *status;
    operation->ticket = *ticket;
    operation->has_arrived = operation->is_pulled = true;
    operation->error = begin_take(ticket, &operation->data, &operation->transfer);
    int result = weft_mpi_operation_begin_general(operation, request);
    weft_mpi_thread_wake();
    return result;
}

/* ---- One receive --------------------------------------------------------------------------- */

bool weft_mpi_receive_data(const struct weft_mpi_wish *wish, struct weft_mpi_data *data)
{
    if (wish->count < 0 || !weft_mpi_data_open(wish->buffer, wish->count, wish->type, data))
        return false;
    if (weft_mpi_type_is_one_piece(data->type, wish->count))
        weft_mpi_data_close(data);
    return true;
}

/* What came into `bytes` is a ticket, or packed, or in its place already. */
static int settle(struct weft_mpi_data *data, const void *bytes, MPI_Comm comm, MPI_Status *status)
{
    if (weft_mpi_is_ticket(status, bytes)) {
        struct weft_mpi_ticket ticket;
        memcpy(&ticket, bytes, sizeof ticket);
        return weft_mpi_receive_ticket(&ticket, data, comm, status);
    }
    if (bytes != data->buffer) {
        size_t got = weft_mpi_bytes_of(status);
        weft_mpi_data_unpack(data, bytes, got);
        weft_mpi_count_received(data->type->form, WEFT_MPI_PACKED, got);
    }
    weft_mpi_data_close(data);
    return MPI_SUCCESS;
}

/* Nothing of ours is under way, so MPI may wait as it likes. */
static int receive_alone(const struct weft_mpi_wish *wish, struct weft_mpi_data *data,
                         MPI_Status *status)
{
    MPI_Status own;
    void *buffer = data->type ? weft_mpi_buffer_take(data->bytes) : data->buffer;
    if (!buffer) {
        weft_mpi_data_close(data);
        return WEFT_MPI_TRY_AGAIN;
    }
    bool is_staged = buffer != data->buffer;
    own.MPI_ERROR = MPI_SUCCESS;
    int result =
        mpi.Recv(buffer, (int)data->bytes, MPI_BYTE, wish->peer, wish->tag, wish->comm, &own);
    if (result == MPI_SUCCESS)
        result = settle(data, buffer, wish->comm, &own);
    else
        weft_mpi_data_close(data);
    if (is_staged)
        weft_mpi_buffer_give(buffer);
    weft_mpi_status_copy(status, &own);
    return result;
}

static int begin_receive(const struct weft_mpi_wish *wish, struct weft_mpi_data *data,
                         MPI_Request *request)
{
    struct weft_mpi_operation *operation =
        weft_mpi_operation_new(WEFT_MPI_RECEIVE, wish->comm, data);
    if (!operation)
        return WEFT_MPI_TRY_AGAIN;
    void *buffer = data->buffer;
    if (data->type)
        operation->buffer = buffer = weft_mpi_buffer_take(data->bytes);
    int result = buffer ? mpi.Irecv(buffer, (int)data->bytes, MPI_BYTE, wish->peer, wish->tag,
                                    wish->comm, request)
                        : WEFT_MPI_TRY_AGAIN;
    if (result == MPI_SUCCESS)
        weft_mpi_operation_begin(operation, *request);
    else
        weft_mpi_operation_drop(operation);
    return result;
}

bool weft_mpi_ireceive(const struct weft_mpi_wish *wish, MPI_Request *request, int *result)
{
    struct weft_mpi_data data;
    if (weft_mpi_peeked_ireceive(wish, request, result))
        return true;
    if (!weft_mpi_route_receive(wish->buffer, wish->count, wish->type, wish->peer, &data))
        return false;
    *result = begin_receive(wish, &data, request);
    return *result != WEFT_MPI_TRY_AGAIN;
}

/* While something of ours is under way, MPI must not wait alone. */
bool weft_mpi_receive(const struct weft_mpi_wish *wish, MPI_Status *status, int *result)
{
    struct weft_mpi_data data;
    MPI_Request request;
    if (weft_mpi_operation_is_any()) {
        if (!weft_mpi_ireceive(wish, &request, result))
            return false;
        if (*result == MPI_SUCCESS)
            *result = weft_mpi_wait(&request, status);
        return true;
    }
    if (weft_mpi_peeked_receive(wish, status, result))
        return true;
    if (!weft_mpi_route_receive(wish->buffer, wish->count, wish->type, wish->peer, &data))
        return false;
    *result = receive_alone(wish, &data, status);
    return *result != WEFT_MPI_TRY_AGAIN;
}

static int ireceive_natively(const struct weft_mpi_wish *wish, MPI_Request *request)
{
#if MPI_VERSION >= 4
    return mpi.Irecv_c(wish->buffer, wish->count, wish->type, wish->peer, wish->tag, wish->comm,
                       request);
#else
    return mpi.Irecv(wish->buffer, (int)wish->count, wish->type, wish->peer, wish->tag, wish->comm,
                     request);
#endif
}

int weft_mpi_ireceive_any(const struct weft_mpi_wish *wish, MPI_Request *request)
{
    int result;
    return weft_mpi_ireceive(wish, request, &result) ? result : ireceive_natively(wish, request);
}

/* A message that MPI alone deals with, while something of ours is under way. */
static int receive_natively(const struct weft_mpi_wish *wish, MPI_Status *status)
{
    MPI_Request request;
    int result = ireceive_natively(wish, &request);
    return result == MPI_SUCCESS ? weft_mpi_wait(&request, status) : result;
}

/* ---- The calls ----------------------------------------------------------------------------- */

#define WISH                                                                                      \
    {                                                                                             \
        .buffer = buf, .count = count, .type = datatype, .peer = source, .tag = tag, .comm = comm \
    }

static bool is_one_piece(const struct weft_mpi_wish *wish)
{
    if (weft_mpi_type_is_basic(wish->type))
        return true;
    struct weft_mpi_type *type = weft_mpi_type_find(wish->type);
    bool is_one_piece = type && weft_mpi_type_is_one_piece(type, wish->count);
    weft_mpi_type_drop(type);
    return is_one_piece;
}

/* A receive for which no ticket was meant may get one, if the message is longer than its room. */
static int check_short(int result, const struct weft_mpi_wish *wish, MPI_Status *own,
                       MPI_Status *status)
{
    if (result == MPI_SUCCESS && weft_mpi_bytes_of(own) == sizeof(struct weft_mpi_ticket) &&
        is_one_piece(wish) && weft_mpi_is_ticket(own, wish->buffer)) {
        struct weft_mpi_data nowhere = {0};
        struct weft_mpi_ticket ticket;
        memcpy(&ticket, wish->buffer, sizeof ticket);
        result = weft_mpi_receive_ticket(&ticket, &nowhere, wish->comm, own);
    }
    weft_mpi_status_copy(status, own);
    return result;
}

static bool needs_look(int64_t count, MPI_Datatype type)
{
    return !weft_mpi_is_short(count, type) || weft_mpi_is_anything_peeked();
}

/* There is no room for a ticket, and nothing of ours is under way. */
static bool is_for_mpi(int64_t count, MPI_Datatype type)
{
    return weft_mpi_is_within(count, type, sizeof(struct weft_mpi_ticket) - 1) &&
           !weft_mpi_operation_is_any() && !weft_mpi_is_anything_peeked();
}

#define DEFINE_RECEIVE(name, number)                                                              \
    int MPI_##name(void *buf, number count, MPI_Datatype datatype, int source, int tag,           \
                   MPI_Comm comm, MPI_Status *status)                                             \
    {                                                                                             \
        if (!weft_mpi.is_on || source == MPI_PROC_NULL || is_for_mpi(count, datatype))            \
            return mpi.name(buf, count, datatype, source, tag, comm, status);                     \
        const struct weft_mpi_wish wish = WISH;                                                   \
        MPI_Status own;                                                                           \
        int result;                                                                               \
        if (needs_look(count, datatype) && WEFT_MPI_IS_OURS &&                                    \
            weft_mpi_receive(&wish, status, &result))                                             \
            return result;                                                                        \
        own.MPI_ERROR = MPI_SUCCESS;                                                              \
        result = weft_mpi_operation_is_any()                                                      \
                     ? receive_natively(&wish, &own)                                              \
                     : mpi.name(buf, count, datatype, source, tag, comm, &own);                   \
        return check_short(result, &wish, &own, status);                                          \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

#define DEFINE_IRECEIVE(name, number)                                                             \
    int MPI_##name(void *buf, number count, MPI_Datatype datatype, int source, int tag,           \
                   MPI_Comm comm, MPI_Request *request)                                           \
    {                                                                                             \
        const struct weft_mpi_wish wish = WISH;                                                   \
        int result;                                                                               \
        if (needs_look(count, datatype) && WEFT_MPI_IS_OURS &&                                    \
            weft_mpi_ireceive(&wish, request, &result))                                           \
            return result;                                                                        \
        return mpi.name(buf, count, datatype, source, tag, comm, request);                        \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

DEFINE_RECEIVE(Recv, int);
DEFINE_IRECEIVE(Irecv, int);

#if MPI_VERSION >= 4
DEFINE_RECEIVE(Recv_c, MPI_Count);
DEFINE_IRECEIVE(Irecv_c, MPI_Count);
#endif
