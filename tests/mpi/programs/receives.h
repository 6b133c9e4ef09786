/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way to receive from rank 0, for the programs of corners.sh. */
#ifndef WEFT_TESTS_MPI_PROGRAMS_RECEIVES_H
#define WEFT_TESTS_MPI_PROGRAMS_RECEIVES_H

#include "corner.h"

typedef int receive_call(void *buffer, int count, MPI_Datatype type, int tag, MPI_Status *status);

static inline int by_recv(void *buffer, int count, MPI_Datatype type, int tag, MPI_Status *status)
{
    return MPI_Recv(buffer, count, type, 0, tag, MPI_COMM_WORLD, status);
}

static inline int by_irecv(void *buffer, int count, MPI_Datatype type, int tag, MPI_Status *status)
{
    MPI_Request request;
    MPI_Irecv(buffer, count, type, 0, tag, MPI_COMM_WORLD, &request);
    return MPI_Wait(&request, status);
}

static inline int start_and_wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Start(request);
    int error = MPI_Wait(request, status);
    if (*request != MPI_REQUEST_NULL)
        MPI_Request_free(request);
    return error;
}

static inline int by_start(void *buffer, int count, MPI_Datatype type, int tag, MPI_Status *status)
{
    MPI_Request request;
    MPI_Recv_init(buffer, count, type, 0, tag, MPI_COMM_WORLD, &request);
    return start_and_wait(&request, status);
}

static inline int by_sendrecv(void *buffer, int count, MPI_Datatype type, int tag,
                              MPI_Status *status)
{
    return MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, tag, buffer, count, type, 0, tag,
                        MPI_COMM_WORLD, status);
}

static inline int by_init_probe_start(void *buffer, int count, MPI_Datatype type, int tag,
                                      MPI_Status *status)
{
    MPI_Request request;
    MPI_Recv_init(buffer, count, type, 0, tag, MPI_COMM_WORLD, &request);
    MPI_Probe(0, tag, MPI_COMM_WORLD, status);
    return start_and_wait(&request, status);
}

static inline int by_mrecv(void *buffer, int count, MPI_Datatype type, int tag, MPI_Status *status)
{
    MPI_Message message;
    MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, status);
    return MPI_Mrecv(buffer, count, type, &message, status);
}

static inline int by_imrecv(void *buffer, int count, MPI_Datatype type, int tag,
                            MPI_Status *status)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, status);
    MPI_Imrecv(buffer, count, type, &message, &request);
    return MPI_Wait(&request, status);
}

static const struct way {
    const char *name;
    receive_call *call;
    int is_probed; /* before the call */
} ways[] = {
    {"MPI_Recv", by_recv, 0},
    {"MPI_Irecv", by_irecv, 0},
    {"MPI_Recv_init", by_start, 0},
    {"MPI_Sendrecv", by_sendrecv, 0},
    {"MPI_Probe and MPI_Recv", by_recv, 1},
    {"MPI_Probe and MPI_Irecv", by_irecv, 1},
    {"MPI_Probe and MPI_Recv_init", by_start, 1},
    {"MPI_Probe and MPI_Start", by_init_probe_start, 0},
    {"MPI_Mrecv", by_mrecv, 0},
    {"MPI_Imrecv", by_imrecv, 0},
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static inline int receive_by(const struct way *way, void *buffer, int count, MPI_Datatype type,
                             int tag, MPI_Status *status)
{
    if (way->is_probed)
        MPI_Probe(0, tag, MPI_COMM_WORLD, status);
    return way->call(buffer, count, type, tag, status);
}

#endif
