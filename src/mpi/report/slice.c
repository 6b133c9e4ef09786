/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/report/slice.h"

#include "base/clock.h"
#include "base/setting.h"
#include "trace/tracer.h"

static const char *const names[] = {
#define NAME(name) "MPI_" #name,
    WEFT_MPI_CALLS(NAME)
#undef NAME
};

static bool is_wanted;

uint64_t weft_mpi_slice_begin(void)
{
    return is_wanted ? weft_clock_now() : 0;
}

void weft_mpi_slice_end(enum weft_mpi_slice call, uint64_t since)
{
    if (since)
        weft_trace_call(call, since);
}

/* ---- Calls that carry messages ------------------------------------------------------------- */

#define BARE(...) __VA_ARGS__

/* Ours would take a call of the library for one of the program: it sees only that we call it. */
#define DEFINE(name, parameters, arguments)                                                       \
    static int traced_##name(BARE parameters)                                                     \
    {                                                                                             \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(BARE arguments);                                                      \
        uint64_t since = weft_mpi_slice_begin();                                                  \
        int result = MPI_##name(BARE arguments);                                                  \
        weft_mpi_slice_end(WEFT_MPI_SLICE_##name, since);                                         \
        return result;                                                                            \
    }

#define BUFFER_ARGUMENTS buf, count, datatype, peer, tag, comm
#define SEND_PARAMETERS                                                                           \
    const void *buf, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm
#define RECEIVE_PARAMETERS                                                                        \
    void *buf, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm

#define DEFINE_SEND(name) DEFINE(name, (SEND_PARAMETERS), (BUFFER_ARGUMENTS))
#define DEFINE_ISEND(name)                                                                        \
    DEFINE(name, (SEND_PARAMETERS, MPI_Request * request), (BUFFER_ARGUMENTS, request))

#define SENDS(X) X(Send) X(Bsend) X(Rsend) X(Ssend)
#define ISENDS(X) X(Isend) X(Ibsend) X(Irsend) X(Issend)
#define OTHERS(X)                                                                                 \
    X(Recv)                                                                                       \
    X(Irecv)                                                                                      \
    X(Sendrecv)                                                                                   \
    X(Sendrecv_replace)                                                                           \
    X(Probe)                                                                                      \
    X(Mprobe)                                                                                     \
    X(Mrecv)                                                                                      \
    X(Start)                                                                                      \
    X(Startall)                                                                                   \
    X(Wait)                                                                                       \
    X(Waitall)                                                                                    \
    X(Waitany)                                                                                    \
    X(Waitsome)                                                                                   \
    X(Pack)                                                                                       \
    X(Unpack)

SENDS(DEFINE_SEND)
ISENDS(DEFINE_ISEND)
DEFINE(Recv, (RECEIVE_PARAMETERS, MPI_Status *status), (BUFFER_ARGUMENTS, status))
DEFINE(Irecv, (RECEIVE_PARAMETERS, MPI_Request *request), (BUFFER_ARGUMENTS, request))
DEFINE(Sendrecv,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
        void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
        MPI_Comm comm, MPI_Status *status),
       (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
        comm, status))
DEFINE(Sendrecv_replace,
       (void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
        int recvtag, MPI_Comm comm, MPI_Status *status),
       (buf, count, datatype, dest, sendtag, source, recvtag, comm, status))
DEFINE(Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status),
       (source, tag, comm, status))
DEFINE(Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
       (source, tag, comm, message, status))
DEFINE(Mrecv,
       (void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status),
       (buf, count, datatype, message, status))
DEFINE(Start, (MPI_Request * request), (request))
DEFINE(Startall, (int count, MPI_Request requests[]), (count, requests))
DEFINE(Wait, (MPI_Request * request, MPI_Status *status), (request, status))
DEFINE(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),
       (count, requests, statuses))
DEFINE(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status),
       (count, requests, index, status))
DEFINE(Waitsome,
       (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
       (count, requests, done, indices, statuses))
DEFINE(Pack,
       (const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
        int *position, MPI_Comm comm),
       (inbuf, incount, datatype, outbuf, outsize, position, comm))
DEFINE(Unpack,
       (const void *inbuf, int insize, int *position, void *outbuf, int outcount,
        MPI_Datatype datatype, MPI_Comm comm),
       (inbuf, insize, position, outbuf, outcount, datatype, comm))

/* ---- Stepping between ---------------------------------------------------------------------- */

void weft_mpi_slice_calls(void)
{
    is_wanted = *weft_setting_text(WEFT_SETTING_TRACE) != 0;
    if (!is_wanted)
        return;
    weft_trace_name_calls(names, WEFT_MPI_SLICES);
    weft_mpi_step_in_to_count();
#define STEP_BETWEEN(name) weft_mpi_step_between("PMPI_" #name, (void (*)(void))traced_##name);
    SENDS(STEP_BETWEEN)
    ISENDS(STEP_BETWEEN)
    OTHERS(STEP_BETWEEN)
#undef STEP_BETWEEN
}
