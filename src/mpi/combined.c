/* SPDX-License-Identifier: BSD-3-Clause */
/* A send and a receive in one call. */
#include "mpi/buffer.h"
#include "mpi/complete.h"
#include "mpi/probe.h"
#include "mpi/receive.h"
#include "mpi/send.h"

static bool needs_look(const struct weft_mpi_wish *send, const struct weft_mpi_wish *receive)
{
    return weft_mpi_operation_is_any() || weft_mpi_is_anything_peeked() ||
           !weft_mpi_type_is_basic(send->type) ||
           !weft_mpi_is_short(receive->count, receive->type);
}

/* The receive first, so that a process may exchange with itself. */
static int exchange(const struct weft_mpi_wish *send, const struct weft_mpi_wish *receive,
                    MPI_Status *status)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int result = weft_mpi_ireceive_any(receive, &requests[0]);
    if (result == MPI_SUCCESS)
        result = weft_mpi_isend_any(send, &requests[1]);
    if (result != MPI_SUCCESS)
        return result;
    int sent = weft_mpi_wait(&requests[1], MPI_STATUS_IGNORE);
    result = weft_mpi_wait(&requests[0], status);
    return result ? result : sent;
}

/* What is sent leaves a copy behind, as the data that replaces it may come first. */
static bool copy_of(const struct weft_mpi_wish *wish, struct weft_mpi_wish *copy)
{
    struct weft_mpi_data data;
    if (!weft_mpi_receive_data(wish, &data))
        return false;
    *copy = *wish;
    copy->buffer = weft_mpi_buffer_take(data.bytes);
    copy->count = (int64_t)data.bytes;
    copy->type = MPI_BYTE;
    if (copy->buffer && data.type)
        weft_mpi_data_pack(&data, copy->buffer);
    else if (copy->buffer)
        weft_pack(weft_basic(WEFT_BYTE), data.bytes, data.buffer, 0, copy->buffer, data.bytes);
    if (copy->buffer && data.type)
        weft_mpi_count_sent(data.type->form, WEFT_MPI_PACKED, data.bytes);
    weft_mpi_data_close(&data);
    return copy->buffer != NULL;
}

#define SEND_WISH                                                                                 \
    {                                                                                             \
        .is_send = true, .buffer = (void *)sendbuf, .count = sendcount, .type = sendtype,         \
        .peer = dest, .tag = sendtag, .comm = comm                                                \
    }
#define RECEIVE_WISH                                                                              \
    {                                                                                             \
        .buffer = recvbuf, .count = recvcount, .type = recvtype, .peer = source, .tag = recvtag,  \
        .comm = comm                                                                              \
    }
#define REPLACE_WISH(peer_, tag_)                                                                 \
    {                                                                                             \
        .buffer = buf, .count = count, .type = datatype, .peer = (peer_), .tag = (tag_),          \
        .comm = comm                                                                              \
    }

#define DEFINE_SENDRECV(name, number)                                                             \
    int MPI_##name(const void *sendbuf, number sendcount, MPI_Datatype sendtype, int dest,        \
                   int sendtag, void *recvbuf, number recvcount, MPI_Datatype recvtype,           \
                   int source, int recvtag, MPI_Comm comm, MPI_Status *status)                    \
    {                                                                                             \
        const struct weft_mpi_wish send = SEND_WISH, receive = RECEIVE_WISH;                      \
        if (weft_mpi.is_on && needs_look(&send, &receive) && WEFT_MPI_IS_OURS)                    \
            return exchange(&send, &receive, status);                                             \
        return mpi.name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,          \
                        recvtype, source, recvtag, comm, status);                                 \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

#define DEFINE_REPLACE(name, number)                                                              \
    int MPI_##name(void *buf, number count, MPI_Datatype datatype, int dest, int sendtag,         \
                   int source, int recvtag, MPI_Comm comm, MPI_Status *status)                    \
    {                                                                                             \
        const struct weft_mpi_wish send = REPLACE_WISH(dest, sendtag);                            \
        const struct weft_mpi_wish receive = REPLACE_WISH(source, recvtag);                       \
        struct weft_mpi_wish copy;                                                                \
        if (!weft_mpi.is_on || !needs_look(&send, &receive) || !WEFT_MPI_IS_OURS ||               \
            !copy_of(&send, &copy))                                                               \
            return mpi.name(buf, count, datatype, dest, sendtag, source, recvtag, comm, status);  \
        int result = exchange(&copy, &receive, status);                                           \
        weft_mpi_buffer_give(copy.buffer);                                                        \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

DEFINE_SENDRECV(Sendrecv, int);
DEFINE_REPLACE(Sendrecv_replace, int);

#if MPI_VERSION >= 4

DEFINE_SENDRECV(Sendrecv_c, MPI_Count);
DEFINE_REPLACE(Sendrecv_replace_c, MPI_Count);

/* `buffer`, if any, is given back at the end. */
static int begin_pair(const struct weft_mpi_wish *send, const struct weft_mpi_wish *receive,
                      void *buffer, MPI_Request *request)
{
    struct weft_mpi_operation *pair = weft_mpi_operation_new(WEFT_MPI_PAIR, send->comm, NULL);
    if (!pair)
        return weft_mpi_raise(send->comm, MPI_ERR_NO_MEM);
    pair->buffer = buffer;
    int result = weft_mpi_ireceive_any(receive, &pair->inner);
    if (result == MPI_SUCCESS)
        result = weft_mpi_isend_any(send, &pair->other);
    return result == MPI_SUCCESS ? weft_mpi_operation_begin_general(pair, request) : result;
}

#define DEFINE_ISENDRECV(name, number)                                                            \
    int MPI_##name(const void *sendbuf, number sendcount, MPI_Datatype sendtype, int dest,        \
                   int sendtag, void *recvbuf, number recvcount, MPI_Datatype recvtype,           \
                   int source, int recvtag, MPI_Comm comm, MPI_Request *request)                  \
    {                                                                                             \
        const struct weft_mpi_wish send = SEND_WISH, receive = RECEIVE_WISH;                      \
        if (weft_mpi.is_on && needs_look(&send, &receive) && WEFT_MPI_IS_OURS)                    \
            return begin_pair(&send, &receive, NULL, request);                                    \
        return mpi.name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,          \
                        recvtype, source, recvtag, comm, request);                                \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

#define DEFINE_IREPLACE(name, number)                                                             \
    int MPI_##name(void *buf, number count, MPI_Datatype datatype, int dest, int sendtag,         \
                   int source, int recvtag, MPI_Comm comm, MPI_Request *request)                  \
    {                                                                                             \
        const struct weft_mpi_wish send = REPLACE_WISH(dest, sendtag);                            \
        const struct weft_mpi_wish receive = REPLACE_WISH(source, recvtag);                       \
        struct weft_mpi_wish copy;                                                                \
        if (!weft_mpi.is_on || !needs_look(&send, &receive) || !WEFT_MPI_IS_OURS ||               \
            !copy_of(&send, &copy))                                                               \
            return mpi.name(buf, count, datatype, dest, sendtag, source, recvtag, comm, request); \
        return begin_pair(&copy, &receive, copy.buffer, request);                                 \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

DEFINE_ISENDRECV(Isendrecv, int);
DEFINE_ISENDRECV(Isendrecv_c, MPI_Count);
DEFINE_IREPLACE(Isendrecv_replace, int);
DEFINE_IREPLACE(Isendrecv_replace_c, MPI_Count);

#endif
