/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Persistent requests. The one that MPI makes is only a handle for the program to hold; starting
 * it begins an ordinary send or receive, or what else is planned, whose end is its end.
 */
#include <stdlib.h>

#include "mpi/guard.h"
#include "mpi/message/complete.h"
#include "mpi/message/receive.h"
#include "mpi/message/send.h"

/* Not to be understood yet, but perhaps when it is started again. */
static bool is_new(MPI_Datatype handle)
{
    struct weft_mpi_type *type;
    if (weft_mpi_type_is_basic(handle) || weft_mpi_type_find(handle, &type) != WEFT_MPI_FOUND)
        return false;
    bool is_new = type->is_new;
    weft_mpi_type_drop(type);
    return is_new;
}

/* What a send does is decided each time that it is started; a receive must be looked at. */
static bool needs_look(const struct weft_mpi_args *args)
{
    struct weft_mpi_data data;
    if (!args->is_send)
        return weft_mpi.net || !weft_mpi_type_is_basic(args->type);
    bool is_open =
        weft_mpi_route_is_open(args->buffer, args->count, args->type, args->peer, &data);
    if (is_open)
        weft_mpi_data_close(&data);
    return is_open || is_new(args->type) || weft_mpi_send_is_long_as_ticket(args);
}

/* Frees the request if there is no memory to look at what it receives. */
static int remember(const struct weft_mpi_args *args, MPI_Request *request)
{
    struct weft_mpi_operation *operation =
        weft_mpi_operation_new(WEFT_MPI_PERSISTENT, args->comm, NULL);
    if (!operation && args->is_send)
        return MPI_SUCCESS;
    if (operation)
        operation->args = *args;
    /* The program may free its type before the request. */
    if (!operation || (!weft_mpi_type_is_basic(args->type) &&
                       mpi.Type_dup(args->type, &operation->args.type) != MPI_SUCCESS)) {
        if (operation)
            weft_mpi_operation_drop(operation);
        mpi.Request_free(request);
        return weft_mpi_raise_no_memory(args->comm);
    }
    weft_mpi_operation_begin(operation, *request);
    return MPI_SUCCESS;
}

bool weft_mpi_persistent_plan(MPI_Comm comm, struct weft_mpi_plan *plan, MPI_Request request)
{
    struct weft_mpi_operation *operation = weft_mpi_operation_new(WEFT_MPI_PERSISTENT, comm, NULL);
    if (!operation)
        return false;
    operation->plan = plan;
    weft_mpi_operation_begin(operation, request);
    return true;
}

static int start_message(const struct weft_mpi_args *args, MPI_Request *request)
{
    return args->is_send ? weft_mpi_isend_any(args, request)
                         : weft_mpi_ireceive_any(args, request);
}

static int start(struct weft_mpi_operation *operation)
{
    struct weft_mpi_plan *plan = operation->plan;
    MPI_Request inner = MPI_REQUEST_NULL;
    int result = plan ? plan->start(plan, &inner) : start_message(&operation->args, &inner);
    /* All at once: a thread that moves things on takes one without anything inside for ready. */
    weft_mpi_lock(&weft_mpi.lock);
    operation->inner = result == MPI_SUCCESS ? inner : MPI_REQUEST_NULL;
    operation->is_ready = false;
    operation->is_active = result == MPI_SUCCESS;
    weft_mpi_unlock(&weft_mpi.lock);
    return result;
}

int weft_mpi_persistent_free(struct weft_mpi_operation *operation, MPI_Request *request)
{
    struct weft_mpi_operation *started = weft_mpi_operation_find(operation->inner);
    if (started)
        weft_mpi_operation_orphan(started);
    else if (operation->inner != MPI_REQUEST_NULL)
        mpi.Request_free(&operation->inner);
    if (operation->plan)
        operation->plan->drop(operation->plan);
    else if (!weft_mpi_type_is_basic(operation->args.type))
        MPI_Type_free(&operation->args.type);
    weft_mpi_operation_forget(operation);
    return mpi.Request_free(request);
}

int MPI_Start(MPI_Request *request)
{
    struct weft_mpi_operation *operation =
        request && WEFT_MPI_IS_OURS ? weft_mpi_operation_find(*request) : NULL;
    return operation && operation->kind == WEFT_MPI_PERSISTENT ? start(operation)
                                                               : mpi.Start(request);
}
WEFT_MPI_ALSO_PMPI(Start);

int MPI_Startall(int count, MPI_Request requests[])
{
    if (!weft_mpi_operation_is_any() || !WEFT_MPI_IS_OURS)
        return mpi.Startall(count, requests);
    int result = MPI_SUCCESS;
    for (int i = 0; i < count && result == MPI_SUCCESS; i++) {
        struct weft_mpi_operation *operation = weft_mpi_operation_find(requests[i]);
        result = operation ? start(operation) : mpi.Start(&requests[i]);
    }
    return result;
}
WEFT_MPI_ALSO_PMPI(Startall);

#define DEFINE_INIT(name, number, pointer, sends, how)                                            \
    int MPI_##name(pointer buf, number count, MPI_Datatype datatype, int peer, int tag,           \
                   MPI_Comm comm, MPI_Request *request)                                           \
    {                                                                                             \
        const struct weft_mpi_args args = {.is_send = (sends),                                    \
                                           .mode = (how),                                         \
                                           .buffer = (void *)buf,                                 \
                                           .count = count,                                        \
                                           .type = datatype,                                      \
                                           .peer = peer,                                          \
                                           .tag = tag,                                            \
                                           .comm = comm};                                         \
        int result = mpi.name(buf, count, datatype, peer, tag, comm, request);                    \
        if (result == MPI_SUCCESS && WEFT_MPI_IS_OURS && needs_look(&args))                       \
            result = remember(&args, request);                                                    \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

WEFT_MPI_BOTH_COUNTS(DEFINE_INIT, Send_init, const void *, true, WEFT_MPI_STANDARD);
WEFT_MPI_BOTH_COUNTS(DEFINE_INIT, Rsend_init, const void *, true, WEFT_MPI_READY);
WEFT_MPI_BOTH_COUNTS(DEFINE_INIT, Bsend_init, const void *, true, WEFT_MPI_BUFFERED);
WEFT_MPI_BOTH_COUNTS(DEFINE_INIT, Ssend_init, const void *, true, WEFT_MPI_SYNCHRONOUS);
WEFT_MPI_BOTH_COUNTS(DEFINE_INIT, Recv_init, void *, false, WEFT_MPI_STANDARD);
