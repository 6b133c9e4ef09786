/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/persistent.h"

#include <limits.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/index.h"
#include "mpi/guard.h"
#include "mpi/message/receive.h"
#include "mpi/message/send.h"

struct weft_mpi_persistent {
    struct weft_index_node node;
    MPI_Request request;
    MPI_Comm comm;
    struct weft_mpi_plan *plan; /* NULL: `args` */
    struct weft_mpi_args args;
    struct weft_mpi_operation *reserved; /* to stand for it; NULL: there is none yet */
};

/* By their requests; the lock is that of operations. */
static struct weft_index all;
atomic_uint weft_mpi_persistents;

/* ---- All of them --------------------------------------------------------------------------- */

static uint64_t hash_of(MPI_Request request)
{
    return weft_hash_mix((uint64_t)(uintptr_t)request, 0);
}

/* The lock is held. */
static struct weft_mpi_persistent *find(MPI_Request request)
{
    struct weft_index_node *node = weft_index_first(&all, hash_of(request));
    for (; node; node = weft_index_next(&all, node)) {
        struct weft_mpi_persistent *persistent =
            weft_list_object(node, struct weft_mpi_persistent, node);
        if (persistent->request == request)
            return persistent;
    }
    return NULL;
}

static struct weft_mpi_persistent *look_up(MPI_Request request)
{
    if (!weft_mpi_persistent_is_any())
        return NULL;
    weft_mpi_lock(&weft_mpi.lock);
    struct weft_mpi_persistent *persistent = find(request);
    weft_mpi_unlock(&weft_mpi.lock);
    return persistent;
}

void weft_mpi_persistent_put(struct weft_mpi_persistent *persistent)
{
    weft_mpi_lock(&weft_mpi.lock);
    weft_index_add(&all, &persistent->node, hash_of(persistent->request));
    weft_mpi_add(&weft_mpi_persistents, 1);
    weft_mpi_unlock(&weft_mpi.lock);
}

struct weft_mpi_persistent *weft_mpi_persistent_take(MPI_Request request)
{
    if (!weft_mpi_persistent_is_any())
        return NULL;
    weft_mpi_lock(&weft_mpi.lock);
    struct weft_mpi_persistent *persistent = find(request);
    if (persistent) {
        weft_index_remove(&all, &persistent->node);
        weft_mpi_add(&weft_mpi_persistents, -1);
    }
    weft_mpi_unlock(&weft_mpi.lock);
    return persistent;
}

int weft_mpi_persistent_start(MPI_Request *request)
{
    MPI_Request before = *request;
    int result = mpi.Start(request);
    struct weft_mpi_persistent *persistent =
        *request != before ? weft_mpi_persistent_take(before) : NULL;
    if (persistent) {
        persistent->request = *request;
        weft_mpi_persistent_put(persistent);
    }
    return result;
}

void weft_mpi_persistent_drop(struct weft_mpi_persistent *persistent)
{
    if (!persistent)
        return;
    if (persistent->reserved)
        weft_mpi_operation_drop(persistent->reserved);
    if (persistent->plan)
        persistent->plan->drop(persistent->plan);
    else if (!weft_mpi_type_is_basic(persistent->args.type))
        MPI_Type_free(&persistent->args.type);
    free(persistent);
}

/* Of a request that was just made: MPI may have freed one of the same number after an error. */
static void forget_namesake(MPI_Request request)
{
    weft_mpi_persistent_drop(weft_mpi_persistent_take(request));
}

/* From now on it is known. False without memory. */
static bool add(struct weft_mpi_persistent *persistent)
{
    weft_mpi_lock(&weft_mpi.lock);
    bool is_there = all.buckets || weft_index_init(&all);
    weft_mpi_unlock(&weft_mpi.lock);
    if (is_there)
        weft_mpi_persistent_put(persistent);
    return is_there;
}

/* ---- Making -------------------------------------------------------------------------------- */

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

bool weft_mpi_persistent_plan(MPI_Comm comm, struct weft_mpi_plan *plan, MPI_Request request)
{
    struct weft_mpi_persistent *persistent = malloc(sizeof *persistent);
    if (!persistent)
        return false;
    forget_namesake(request);
    *persistent = (struct weft_mpi_persistent){.request = request, .comm = comm, .plan = plan};
    if (add(persistent))
        return true;
    free(persistent);
    return false;
}

/* The program may free its type before the request. False without memory. */
static bool keep(const struct weft_mpi_args *args, MPI_Request request)
{
    struct weft_mpi_persistent *persistent = malloc(sizeof *persistent);
    if (!persistent)
        return false;
    *persistent =
        (struct weft_mpi_persistent){.request = request, .comm = args->comm, .args = *args};
    persistent->args.is_made = true;
    bool is_basic = weft_mpi_type_is_basic(args->type);
    if (is_basic || weft_mpi_type_copy(args->type, &persistent->args.type)) {
        if (add(persistent))
            return true;
        if (!is_basic)
            MPI_Type_free(&persistent->args.type);
    }
    free(persistent);
    return false;
}

/* Frees the request if there is no memory to look at what it receives. */
static int remember(const struct weft_mpi_args *args, MPI_Request *request)
{
    if (keep(args, *request) || args->is_send)
        return MPI_SUCCESS;
    mpi.Request_free(request);
    return weft_mpi_raise_no_memory(args->comm);
}

/* ---- Starting ------------------------------------------------------------------------------ */

/* Leaves the request as it is if MPI has started it, else sets it to what was begun instead. */
static int begin(struct weft_mpi_persistent *persistent, MPI_Request *request)
{
    const struct weft_mpi_args *args = &persistent->args;
    int result;
    if (persistent->plan)
        return persistent->plan->start(persistent->plan, request);
    bool is_ours = args->is_send ? weft_mpi_isend(args, request, &result)
                                 : weft_mpi_ireceive_for_program(args, request, &result);
    return is_ours ? result : weft_mpi_persistent_start(request);
}

static int start(struct weft_mpi_persistent *persistent, MPI_Request *request)
{
    MPI_Request begun = *request;
    if (!persistent->reserved)
        persistent->reserved = weft_mpi_operation_new(WEFT_MPI_PERSISTENT, persistent->comm, NULL);
    if (!persistent->reserved)
        return weft_mpi_raise_no_memory(persistent->comm);
    int result = begin(persistent, &begun);
    *request = persistent->request;
    if (result != MPI_SUCCESS || begun == *request)
        return result;
    struct weft_mpi_operation *operation = persistent->reserved;
    persistent->reserved = NULL;
    operation->inner = begun;
    operation->is_planned = persistent->plan;
    weft_mpi_operation_begin(operation, *request);
    return MPI_SUCCESS;
}

/* ---- The calls ----------------------------------------------------------------------------- */

int MPI_Start(MPI_Request *request)
{
    struct weft_mpi_persistent *persistent =
        request && weft_mpi_persistent_is_any() && WEFT_MPI_IS_OURS ? look_up(*request) : NULL;
    return persistent ? start(persistent, request) : mpi.Start(request);
}
WEFT_MPI_ALSO_PMPI(Start);

int MPI_Startall(int count, MPI_Request requests[])
{
    if (count <= 0 || !requests || !weft_mpi_persistent_is_any() || !WEFT_MPI_IS_OURS)
        return mpi.Startall(count, requests);
    int result = MPI_SUCCESS;
    for (int i = 0; i < count && result == MPI_SUCCESS; i++) {
        struct weft_mpi_persistent *persistent = look_up(requests[i]);
        result = persistent ? start(persistent, &requests[i]) : mpi.Start(&requests[i]);
    }
    return result;
}
WEFT_MPI_ALSO_PMPI(Startall);

/* Whether it is data in one piece; then these are the bytes. */
static bool is_piece(const struct weft_mpi_args *args, struct weft_mpi_args *bytes)
{
    struct weft_mpi_data data;
    if (args->peer == MPI_PROC_NULL || args->count <= 0 || weft_mpi_type_is_basic(args->type) ||
        weft_mpi_data_open(args->buffer, args->count, args->type, &data) != WEFT_MPI_FOUND)
        return false;
    bool is_piece = weft_mpi_type_is_known(data.type) && !data.is_device && data.bytes > 0 &&
                    data.bytes <= INT_MAX && weft_mpi_type_is_one_piece(data.type, args->count);
    if (is_piece) {
        weft_mpi_data_see_as_bytes(&data);
        *bytes = weft_mpi_args_of_bytes(args, data.buffer, data.bytes);
    } else {
        weft_mpi_data_close(&data);
    }
    return is_piece;
}

/* A call that makes a request. */
typedef int init_call(const struct weft_mpi_args *args, MPI_Request *request);

/* MPI has judged the arguments of the program before. */
static int make_of_bytes(init_call *init, struct weft_mpi_args *args, MPI_Request *request)
{
    struct weft_mpi_args bytes;
    MPI_Request made;
    if (!is_piece(args, &bytes) || init(&bytes, &made) != MPI_SUCCESS)
        return MPI_SUCCESS;
    *args = bytes;
    int result = mpi.Request_free(request);
    *request = made;
    return result;
}

/* What is looked at when it is started is remembered; data in one piece are made a request of as
 * the bytes that they are. */
static int make(init_call *init, struct weft_mpi_args *args, MPI_Request *request)
{
    int result = init(args, request);
    if (result == MPI_SUCCESS)
        result = make_of_bytes(init, args, request);
    if (result != MPI_SUCCESS)
        return result;
    forget_namesake(*request);
    return needs_look(args) ? remember(args, request) : MPI_SUCCESS;
}

#define DEFINE_INIT(name, number, pointer, sends, how)                                            \
    static int make_by_##name(const struct weft_mpi_args *args, MPI_Request *request)             \
    {                                                                                             \
        return mpi.name(args->buffer, (number)args->count, args->type, args->peer, args->tag,     \
                        args->comm, request);                                                     \
    }                                                                                             \
    int MPI_##name(pointer buf, number count, MPI_Datatype datatype, int peer, int tag,           \
                   MPI_Comm comm, MPI_Request *request)                                           \
    {                                                                                             \
        struct weft_mpi_args args = {.is_send = (sends),                                          \
                                     .mode = (how),                                               \
                                     .buffer = (void *)buf,                                       \
                                     .count = count,                                              \
                                     .type = datatype,                                            \
                                     .peer = peer,                                                \
                                     .tag = tag,                                                  \
                                     .comm = comm};                                               \
        return WEFT_MPI_IS_OURS ? make(make_by_##name, &args, request)                            \
                                : mpi.name(buf, count, datatype, peer, tag, comm, request);       \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

WEFT_MPI_BOTH_COUNTS(DEFINE_INIT, Send_init, const void *, true, WEFT_MPI_STANDARD);
WEFT_MPI_BOTH_COUNTS(DEFINE_INIT, Rsend_init, const void *, true, WEFT_MPI_READY);
WEFT_MPI_BOTH_COUNTS(DEFINE_INIT, Bsend_init, const void *, true, WEFT_MPI_BUFFERED);
WEFT_MPI_BOTH_COUNTS(DEFINE_INIT, Ssend_init, const void *, true, WEFT_MPI_SYNCHRONOUS);
WEFT_MPI_BOTH_COUNTS(DEFINE_INIT, Recv_init, void *, false, WEFT_MPI_STANDARD);
