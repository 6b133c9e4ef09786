/* SPDX-License-Identifier: BSD-3-Clause */
/* A send and a receive in one call. */
#include "mpi/layout/buffer.h"
#include "mpi/layout/bytes.h"
#include "mpi/message/complete.h"
#include "mpi/message/probe.h"
#include "mpi/message/receive.h"
#include "mpi/message/send.h"

static bool needs_look(const struct weft_mpi_args *send, const struct weft_mpi_args *receive)
{
    return weft_mpi_operation_is_any() || weft_mpi_is_anything_peeked() ||
           !weft_mpi_type_is_basic(send->type) ||
           !weft_mpi_is_short(receive->count, receive->type);
}

/* A receive whose send has failed: nobody waits for it. */
static void abandon(MPI_Request *request)
{
    MPI_Cancel(request);
    MPI_Request_free(request);
}

/* The receive first, so that a process may exchange with itself. */
static int begin_both(const struct weft_mpi_args *send, const struct weft_mpi_args *receive,
                      MPI_Request *received, MPI_Request *sent)
{
    int result = weft_mpi_ireceive_any(receive, received);
    if (result != MPI_SUCCESS)
        return result;
    result = weft_mpi_isend_any(send, sent);
    if (result != MPI_SUCCESS)
        abandon(received);
    return result;
}

/* The receive is waited for first, which looks for its ticket before it looks for any data: of
 * data whose ticket was not seen yet nobody knows where it belongs. */
static int exchange(const struct weft_mpi_args *send, const struct weft_mpi_args *receive,
                    MPI_Status *status)
{
    MPI_Request received, sent;
    int result = begin_both(send, receive, &received, &sent);
    if (result != MPI_SUCCESS)
        return result;
    result = weft_mpi_wait(&received, status);
    int sending = weft_mpi_wait(&sent, MPI_STATUS_IGNORE);
    return result ? result : sending;
}

/* ---- A copy of what is sent ---------------------------------------------------------------- */

/* What is sent leaves a copy behind, as the data that replaces it may come first. */
struct copy {
    struct weft_mpi_args args;
    void *buffer;
    struct weft_mpi_bytes bytes;
};

static void close_copy(struct copy *copy)
{
    weft_mpi_buffer_give(copy->buffer);
    weft_mpi_bytes_close(&copy->bytes);
}

static int pack_copy(const struct weft_mpi_data *data, struct copy *copy)
{
    copy->buffer = weft_mpi_buffer_take(data->bytes);
    copy->args.buffer = copy->buffer;
    if (!copy->buffer)
        return MPI_ERR_NO_MEM;
    int class = weft_mpi_bytes_open(data->bytes, &copy->bytes);
    if (class != MPI_SUCCESS)
        return class;
    copy->args.type = copy->bytes.type;
    copy->args.count = copy->bytes.count;
    weft_mpi_count_sent(data->type->form, WEFT_MPI_PACKED, data->bytes);
    return weft_mpi_data_pack(data, copy->buffer);
}

/* A class of MPI's errors; of arguments that make no sense MPI itself says so. */
static int open_copy(const struct weft_mpi_args *args, struct copy *copy)
{
    struct weft_mpi_data data;
    *copy = (struct copy){.args = *args};
    if (args->count <= 0)
        return MPI_SUCCESS;
    enum weft_mpi_finding finding =
        weft_mpi_data_open(args->buffer, args->count, args->type, &data);
    if (finding != WEFT_MPI_FOUND)
        return finding == WEFT_MPI_INVALID ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    int class = pack_copy(&data, copy);
    weft_mpi_data_close(&data);
    return class;
}

static int replace(const struct weft_mpi_args *send, const struct weft_mpi_args *receive,
                   MPI_Status *status)
{
    struct copy copy;
    int result = open_copy(send, &copy);
    result = result == MPI_SUCCESS ? exchange(&copy.args, receive, status)
                                   : weft_mpi_raise_no_memory(send->comm);
    close_copy(&copy);
    return result;
}

/* ---- With a request ------------------------------------------------------------------------ */

/* `buffer`, if any, is given back at the end. */
static int begin_pair(const struct weft_mpi_args *send, const struct weft_mpi_args *receive,
                      void *buffer, MPI_Request *request)
{
    struct weft_mpi_operation *pair = weft_mpi_operation_new(WEFT_MPI_PAIR, send->comm, NULL);
    if (!pair) {
        weft_mpi_buffer_give(buffer);
        return weft_mpi_raise_no_memory(send->comm);
    }
    pair->cargo.buffer = buffer;
    int result = begin_both(send, receive, &pair->inner, &pair->other);
    if (result == MPI_SUCCESS)
        return weft_mpi_operation_begin_general(pair, request);
    weft_mpi_operation_drop(pair);
    return result;
}

static int begin_exchange(const struct weft_mpi_args *send, const struct weft_mpi_args *receive,
                          MPI_Request *request)
{
    return begin_pair(send, receive, NULL, request);
}

static int begin_replace(const struct weft_mpi_args *send, const struct weft_mpi_args *receive,
                         MPI_Request *request)
{
    struct copy copy;
    int result = open_copy(send, &copy);
    if (result == MPI_SUCCESS) {
        result = begin_pair(&copy.args, receive, copy.buffer, request);
        copy.buffer = NULL;
    } else {
        result = weft_mpi_raise_no_memory(send->comm);
    }
    close_copy(&copy);
    return result;
}

/* ---- The calls ----------------------------------------------------------------------------- */

#define SEND_ARGS                                                                                 \
    {                                                                                             \
        .is_send = true, .buffer = (void *)sendbuf, .count = sendcount, .type = sendtype,         \
        .peer = dest, .tag = sendtag, .comm = comm                                                \
    }
#define RECEIVE_ARGS                                                                              \
    {                                                                                             \
        .buffer = recvbuf, .count = recvcount, .type = recvtype, .peer = source, .tag = recvtag,  \
        .comm = comm                                                                              \
    }
#define REPLACE_ARGS(peer_, tag_)                                                                 \
    {                                                                                             \
        .buffer = buf, .count = count, .type = datatype, .peer = (peer_), .tag = (tag_),          \
        .comm = comm                                                                              \
    }

/* The last argument is a status, or a request if the call only begins the exchange. */
#define DEFINE_SENDRECV(name, number, answer, by_us)                                              \
    int MPI_##name(const void *sendbuf, number sendcount, MPI_Datatype sendtype, int dest,        \
                   int sendtag, void *recvbuf, number recvcount, MPI_Datatype recvtype,           \
                   int source, int recvtag, MPI_Comm comm, answer *end)                           \
    {                                                                                             \
        const struct weft_mpi_args send = SEND_ARGS, receive = RECEIVE_ARGS;                      \
        if (weft_mpi.is_on && needs_look(&send, &receive) && WEFT_MPI_IS_OURS)                    \
            return by_us(&send, &receive, end);                                                   \
        return mpi.name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,          \
                        recvtype, source, recvtag, comm, end);                                    \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

#define DEFINE_REPLACE(name, number, answer, by_us)                                               \
    int MPI_##name(void *buf, number count, MPI_Datatype datatype, int dest, int sendtag,         \
                   int source, int recvtag, MPI_Comm comm, answer *end)                           \
    {                                                                                             \
        const struct weft_mpi_args send = REPLACE_ARGS(dest, sendtag);                            \
        const struct weft_mpi_args receive = REPLACE_ARGS(source, recvtag);                       \
        if (weft_mpi.is_on && needs_look(&send, &receive) && WEFT_MPI_IS_OURS)                    \
            return by_us(&send, &receive, end);                                                   \
        return mpi.name(buf, count, datatype, dest, sendtag, source, recvtag, comm, end);         \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

WEFT_MPI_BOTH_COUNTS(DEFINE_SENDRECV, Sendrecv, MPI_Status, exchange);
WEFT_MPI_BOTH_COUNTS(DEFINE_SENDRECV, Isendrecv, MPI_Request, begin_exchange);
WEFT_MPI_BOTH_COUNTS(DEFINE_REPLACE, Sendrecv_replace, MPI_Status, replace);
WEFT_MPI_BOTH_COUNTS(DEFINE_REPLACE, Isendrecv_replace, MPI_Request, begin_replace);
