/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that begin messages, or wait for one of their own. */
#include "mpi/message/ticket.h"
#include "mpi/record/between.h"
#include "mpi/record/request.h"

#define NONE WEFT_MPI_STEP_NONE

/* ---- What is recorded ---------------------------------------------------------------------- */

static struct weft_mpi_args message_of(bool is_send, int64_t count, MPI_Datatype type, int peer,
                                       int tag, MPI_Comm comm)
{
    struct weft_mpi_args args = {
        .count = count, .type = type, .peer = peer, .tag = tag, .comm = comm};
    args.is_send = is_send;
    return args;
}

static void sent(const struct weft_mpi_args *args)
{
    weft_mpi_front_set(&weft_mpi_program, weft_mpi_record_message(args));
}

static void begun(const struct weft_mpi_args *args, MPI_Request request)
{
    uint32_t step = weft_mpi_record_message(args);
    weft_mpi_record_request(request, args->is_send ? step : NONE, args->is_send ? NONE : step,
                            args->comm);
    weft_mpi_front_set_begun(&weft_mpi_program, step);
}

static void settle(uint32_t step, MPI_Comm comm, const MPI_Status *status)
{
    if (step != NONE)
        weft_mpi_record_received(step, weft_mpi_identity(comm), status);
}

static void received(const struct weft_mpi_args *args, const MPI_Status *status)
{
    uint32_t step = weft_mpi_record_message(args);
    settle(step, args->comm, status);
    weft_mpi_front_set(&weft_mpi_program, step);
}

static void exchanged(const struct weft_mpi_args *out, const struct weft_mpi_args *in,
                      const MPI_Status *status)
{
    uint32_t receive = weft_mpi_record_message(in), send = weft_mpi_record_message(out);
    settle(receive, in->comm, status);
    weft_mpi_front_set(&weft_mpi_program, receive);
    if (receive == NONE)
        weft_mpi_front_set(&weft_mpi_program, send);
    else
        weft_mpi_front_add(&weft_mpi_program, send);
}

static void exchange_begun(const struct weft_mpi_args *out, const struct weft_mpi_args *in,
                           MPI_Request request)
{
    uint32_t receive = weft_mpi_record_message(in);
    weft_mpi_front_set_begun(&weft_mpi_program, receive);
    uint32_t send = weft_mpi_record_message(out);
    weft_mpi_front_set_begun(&weft_mpi_program, send);
    weft_mpi_record_request(request, send, receive, in->comm);
}

static void found(MPI_Message message, MPI_Comm comm, const MPI_Status *status, int64_t bytes)
{
    const struct weft_mpi_args args = {.count = bytes,
                                       .type = MPI_BYTE,
                                       .peer = status->MPI_SOURCE,
                                       .tag = status->MPI_TAG,
                                       .comm = comm};
    weft_mpi_record_found(message, &args);
}

/* ---- Sends and receives -------------------------------------------------------------------- */

#define OWN_STATUS (MPI_Status own; if (status == MPI_STATUS_IGNORE) status = &own)

#define MESSAGE_PARAMETERS(pointer, number)                                                       \
    pointer buf, number count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm
#define MESSAGE_ARGUMENTS buf, count, datatype, peer, tag, comm
#define MESSAGE(is_send) message_of(is_send, count, datatype, peer, tag, comm)

#define RECORD_SEND(name, number, ...)                                                            \
    WEFT_MPI_RECORD(name, (MESSAGE_PARAMETERS(const void *, number)), (MESSAGE_ARGUMENTS),        \
                    const struct weft_mpi_args args = MESSAGE(true);                              \
                    sent(&args);)

#define RECORD_BEGIN(name, number, pointer, sends, records)                                       \
    WEFT_MPI_RECORD(name, (MESSAGE_PARAMETERS(pointer, number), MPI_Request * request),           \
                    (MESSAGE_ARGUMENTS, request),                                                 \
                    const struct weft_mpi_args args = MESSAGE(sends);                             \
                    records)

#define RECORD_RECEIVE(name, number, ...)                                                         \
    WEFT_MPI_RECORD_AFTER(name, (MESSAGE_PARAMETERS(void *, number), MPI_Status * status),        \
                          (MESSAGE_ARGUMENTS, status), OWN_STATUS,                                \
                          const struct weft_mpi_args args = MESSAGE(false);                       \
                          received(&args, status);)

#define BEGUN begun(&args, *request);
#define PREPARED weft_mpi_record_persistent(*request, &args);

#define BOTH(record, name, ...)                                                                   \
    record(name, int, __VA_ARGS__) record(name##_c, MPI_Count, __VA_ARGS__)

BOTH(RECORD_SEND, Send, )
BOTH(RECORD_SEND, Bsend, )
BOTH(RECORD_SEND, Rsend, )
BOTH(RECORD_SEND, Ssend, )
BOTH(RECORD_BEGIN, Isend, const void *, true, BEGUN)
BOTH(RECORD_BEGIN, Ibsend, const void *, true, BEGUN)
BOTH(RECORD_BEGIN, Irsend, const void *, true, BEGUN)
BOTH(RECORD_BEGIN, Issend, const void *, true, BEGUN)
BOTH(RECORD_BEGIN, Send_init, const void *, true, PREPARED)
BOTH(RECORD_BEGIN, Bsend_init, const void *, true, PREPARED)
BOTH(RECORD_BEGIN, Rsend_init, const void *, true, PREPARED)
BOTH(RECORD_BEGIN, Ssend_init, const void *, true, PREPARED)
BOTH(RECORD_RECEIVE, Recv, )
BOTH(RECORD_BEGIN, Irecv, void *, false, BEGUN)
BOTH(RECORD_BEGIN, Recv_init, void *, false, PREPARED)

/* ---- Both at once -------------------------------------------------------------------------- */

#define EXCHANGE_PARAMETERS(number)                                                               \
    const void *sendbuf, number sendcount, MPI_Datatype sendtype, int dest, int sendtag,          \
        void *recvbuf, number recvcount, MPI_Datatype recvtype, int source, int recvtag,          \
        MPI_Comm comm
#define EXCHANGE_ARGUMENTS                                                                        \
    sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,   \
        comm
#define EXCHANGE_MESSAGES                                                                         \
    const struct weft_mpi_args out = message_of(true, sendcount, sendtype, dest, sendtag, comm);  \
    const struct weft_mpi_args in = message_of(false, recvcount, recvtype, source, recvtag, comm);

#define REPLACE_PARAMETERS(number)                                                                \
    void *buf, number count, MPI_Datatype datatype, int dest, int sendtag, int source,            \
        int recvtag, MPI_Comm comm
#define REPLACE_ARGUMENTS buf, count, datatype, dest, sendtag, source, recvtag, comm
#define REPLACE_MESSAGES                                                                          \
    const struct weft_mpi_args out = message_of(true, count, datatype, dest, sendtag, comm);      \
    const struct weft_mpi_args in = message_of(false, count, datatype, source, recvtag, comm);

#define RECORD_EXCHANGE(name, number, KIND)                                                       \
    WEFT_MPI_RECORD_AFTER(name, (KIND##_PARAMETERS(number), MPI_Status * status),                 \
                          (KIND##_ARGUMENTS, status), OWN_STATUS,                                 \
                          KIND##_MESSAGES exchanged(&out, &in, status);)
#define RECORD_IEXCHANGE(name, number, KIND)                                                      \
    WEFT_MPI_RECORD(name, (KIND##_PARAMETERS(number), MPI_Request * request),                     \
                    (KIND##_ARGUMENTS, request),                                                  \
                    KIND##_MESSAGES exchange_begun(&out, &in, *request);)

BOTH(RECORD_EXCHANGE, Sendrecv, EXCHANGE)
BOTH(RECORD_EXCHANGE, Sendrecv_replace, REPLACE)
BOTH(RECORD_IEXCHANGE, Isendrecv, EXCHANGE)
BOTH(RECORD_IEXCHANGE, Isendrecv_replace, REPLACE)

/* ---- Found first --------------------------------------------------------------------------- */

/* A probe waits, and what it waits for is waited for once more when it is received. */
WEFT_MPI_RECORD(Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status),
                (source, tag, comm, status), )
WEFT_MPI_RECORD(Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
                (source, tag, comm, flag, status), )
WEFT_MPI_RECORD_AFTER(Mprobe,
                      (int source, int tag, MPI_Comm comm, MPI_Message *message,
                       MPI_Status *status),
                      (source, tag, comm, message, status), OWN_STATUS,
                      found(*message, comm, status, (int64_t)weft_mpi_bytes_of(status));)
WEFT_MPI_RECORD_AFTER(
    Improbe,
    (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
    (source, tag, comm, flag, message, status), OWN_STATUS,
    if (*flag) { found(*message, comm, status, (int64_t)weft_mpi_bytes_of(status)); })

#define OWN_MESSAGE (MPI_Message taken = *message)

#define RECORD_MRECV(name, number, ...)                                                           \
    WEFT_MPI_RECORD_AFTER(                                                                        \
        name,                                                                                     \
        (void *buf, number count, MPI_Datatype datatype, MPI_Message *message,                    \
         MPI_Status *status),                                                                     \
        (buf, count, datatype, message, status), OWN_MESSAGE,                                     \
        weft_mpi_front_set(&weft_mpi_program, weft_mpi_record_take_found(taken));)
#define RECORD_IMRECV(name, number, ...)                                                          \
    WEFT_MPI_RECORD_AFTER(name,                                                                   \
                          (void *buf, number count, MPI_Datatype datatype, MPI_Message *message,  \
                           MPI_Request *request),                                                 \
                          (buf, count, datatype, message, request), OWN_MESSAGE,                  \
                          uint32_t step = weft_mpi_record_take_found(taken);                      \
                          weft_mpi_record_request(*request, step, NONE, MPI_COMM_WORLD);          \
                          weft_mpi_front_set_begun(&weft_mpi_program, step);)

BOTH(RECORD_MRECV, Mrecv, )
BOTH(RECORD_IMRECV, Imrecv, )

/* ---- When the record begins ---------------------------------------------------------------- */

#define WITH_COUNTS(X)                                                                            \
    X(Send)                                                                                       \
    X(Bsend)                                                                                      \
    X(Rsend)                                                                                      \
    X(Ssend)                                                                                      \
    X(Isend)                                                                                      \
    X(Ibsend)                                                                                     \
    X(Irsend)                                                                                     \
    X(Issend)                                                                                     \
    X(Send_init)                                                                                  \
    X(Bsend_init)                                                                                 \
    X(Rsend_init)                                                                                 \
    X(Ssend_init)                                                                                 \
    X(Recv)                                                                                       \
    X(Irecv)                                                                                      \
    X(Recv_init)                                                                                  \
    X(Sendrecv)                                                                                   \
    X(Sendrecv_replace)                                                                           \
    X(Isendrecv)                                                                                  \
    X(Isendrecv_replace)                                                                          \
    X(Mrecv)                                                                                      \
    X(Imrecv)

void weft_mpi_record_step_messages(void)
{
#define STEP(name)                                                                                \
    WEFT_MPI_RECORD_STEP(name)                                                                    \
    WEFT_MPI_RECORD_STEP(name##_c)
    WITH_COUNTS(STEP)
#undef STEP
    WEFT_MPI_RECORD_STEP(Probe)
    WEFT_MPI_RECORD_STEP(Iprobe)
    WEFT_MPI_RECORD_STEP(Mprobe)
    WEFT_MPI_RECORD_STEP(Improbe)
}
