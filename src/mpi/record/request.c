/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/record/request.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/index.h"
#include "mpi/message/ticket.h"
#include "mpi/record/log.h"
#include "mpi/record/note.h"

enum handle_kind { OF_REQUEST, OF_MESSAGE };

struct pending {
    struct weft_index_node node;
    uintptr_t handle;
    enum handle_kind kind;
    uint32_t step;                      /* NONE: it is not under way */
    uint32_t receive;                   /* by the same request; or NONE */
    struct weft_mpi_identity *identity; /* of the receive; or NULL */
    bool is_persistent, is_send;
    struct weft_mpi_step next; /* what begins when it is started */
};

static struct weft_index all;

bool weft_mpi_record_requests_begin(void)
{
    return weft_index_init(&all);
}

/* ---- Handles ------------------------------------------------------------------------------- */

static uint64_t hash_of(uintptr_t handle, enum handle_kind kind)
{
    return weft_hash_mix(weft_hash_mix(0, handle), kind);
}

static struct pending *find(uintptr_t handle, enum handle_kind kind)
{
    struct weft_index_node *node = weft_index_first(&all, hash_of(handle, kind));
    for (; node; node = weft_index_next(&all, node)) {
        struct pending *pending = weft_list_object(node, struct pending, node);
        if (pending->handle == handle && pending->kind == kind)
            return pending;
    }
    return NULL;
}

static void forget(struct pending *pending)
{
    weft_index_remove(&all, &pending->node);
    weft_mpi_identity_drop(pending->identity);
    free(pending);
}

/* MPI may have one handle for all requests that are over: the last counts. NULL without memory. */
static struct pending *add(uintptr_t handle, enum handle_kind kind, MPI_Comm comm)
{
    struct pending *pending = find(handle, kind);
    struct weft_mpi_identity *identity = weft_mpi_identity(comm);
    if (pending)
        forget(pending);
    pending = identity ? malloc(sizeof *pending) : NULL;
    if (!pending) {
        weft_mpi_log_starve();
        return NULL;
    }
    *pending = (struct pending){.handle = handle,
                                .kind = kind,
                                .step = WEFT_MPI_STEP_NONE,
                                .receive = WEFT_MPI_STEP_NONE,
                                .identity = weft_mpi_identity_hold(identity)};
    weft_index_add(&all, &pending->node, hash_of(handle, kind));
    return pending;
}

/* ---- Messages ------------------------------------------------------------------------------ */

/* False if it has no other end in this job. */
static bool describe(const struct weft_mpi_args *args, struct weft_mpi_step *step)
{
    const struct weft_mpi_identity *identity = weft_mpi_identity(args->comm);
    bool is_from_any = !args->is_send && args->peer == MPI_ANY_SOURCE;
    int peer = identity && !is_from_any ? weft_mpi_identity_peer(identity, args->peer) : -1;
    if (!identity || (peer < 0 && !is_from_any))
        return false;
    MPI_Count size = 0;
    mpi.Type_size_x(args->type, &size);
    *step = (struct weft_mpi_step){
        .kind = args->is_send ? WEFT_MPI_STEP_SEND : WEFT_MPI_STEP_RECEIVE,
        .size = (uint64_t)args->count * (uint64_t)size,
        .peer = is_from_any ? WEFT_MPI_STEP_ANY : (uint32_t)peer,
        .tag = args->tag == MPI_ANY_TAG ? WEFT_MPI_STEP_ANY
                                        : weft_mpi_identity_tag(identity, args->tag),
        .note = weft_mpi_note_type(args->type)};
    return true;
}

static uint32_t begin(const struct weft_mpi_step *step)
{
    weft_mpi_log_compute();
    return weft_mpi_log_add(&weft_mpi_program, step);
}

uint32_t weft_mpi_record_message(const struct weft_mpi_args *args)
{
    struct weft_mpi_step step;
    return describe(args, &step) ? begin(&step) : WEFT_MPI_STEP_NONE;
}

/* It takes no time. */
static void cancel(struct weft_mpi_step *step)
{
    step->kind = WEFT_MPI_STEP_COMPUTE;
    step->size = 0;
}

void weft_mpi_record_received(uint32_t number, const struct weft_mpi_identity *identity,
                              const MPI_Status *status)
{
    struct weft_mpi_step *step = weft_mpi_log_step(number);
    if (!step || step->kind != WEFT_MPI_STEP_RECEIVE || !identity)
        return;
    int peer = weft_mpi_identity_peer(identity, status->MPI_SOURCE);
    if (peer < 0) {
        cancel(step);
        return;
    }
    step->peer = (uint32_t)peer;
    step->tag = weft_mpi_identity_tag(identity, status->MPI_TAG);
    step->size = weft_mpi_bytes_of(status);
}

/* ---- Requests ------------------------------------------------------------------------------ */

void weft_mpi_record_request(MPI_Request request, uint32_t step, uint32_t receive, MPI_Comm comm)
{
    struct pending *pending = add((uintptr_t)request, OF_REQUEST, comm);
    if (!pending)
        return;
    pending->step = step;
    pending->receive = receive;
}

void weft_mpi_record_persistent(MPI_Request request, const struct weft_mpi_args *args)
{
    struct pending *pending = add((uintptr_t)request, OF_REQUEST, args->comm);
    if (!pending)
        return;
    pending->is_persistent = true;
    pending->is_send = args->is_send;
    if (!describe(args, &pending->next))
        forget(pending);
}

void weft_mpi_record_start(MPI_Request request)
{
    struct pending *pending = find((uintptr_t)request, OF_REQUEST);
    if (!pending || !pending->is_persistent)
        return;
    uint32_t step = begin(&pending->next);
    *(pending->is_send ? &pending->step : &pending->receive) = step;
    weft_mpi_front_set_begun(&weft_mpi_program, step);
}

static bool is_cancelled(const MPI_Status *status)
{
    int is_so = 0;
    mpi.Test_cancelled(status, &is_so);
    return is_so;
}

static void settle(const struct pending *pending, const MPI_Status *status)
{
    uint32_t only = pending->step != WEFT_MPI_STEP_NONE ? pending->step : pending->receive;
    if (only == WEFT_MPI_STEP_NONE)
        return;
    weft_mpi_log_compute();
    if (is_cancelled(status))
        cancel(weft_mpi_log_step(only));
    else
        weft_mpi_record_received(pending->receive, pending->identity, status);
    weft_mpi_front_add(&weft_mpi_program, pending->step);
    weft_mpi_front_add(&weft_mpi_program, pending->receive);
}

void weft_mpi_record_complete(MPI_Request request, const MPI_Status *status)
{
    struct pending *pending = find((uintptr_t)request, OF_REQUEST);
    if (!pending)
        return;
    settle(pending, status);
    pending->step = pending->receive = WEFT_MPI_STEP_NONE;
    if (!pending->is_persistent)
        forget(pending);
}

void weft_mpi_record_look(MPI_Request request, const MPI_Status *status)
{
    struct pending *pending = find((uintptr_t)request, OF_REQUEST);
    if (pending)
        settle(pending, status);
}

void weft_mpi_record_free(MPI_Request request)
{
    struct pending *pending = find((uintptr_t)request, OF_REQUEST);
    if (pending)
        forget(pending);
}

/* ---- Messages that were found -------------------------------------------------------------- */

void weft_mpi_record_found(MPI_Message message, const struct weft_mpi_args *args)
{
    struct pending *pending = add((uintptr_t)message, OF_MESSAGE, args->comm);
    if (pending && !describe(args, &pending->next))
        forget(pending);
}

uint32_t weft_mpi_record_take_found(MPI_Message message)
{
    struct pending *pending = find((uintptr_t)message, OF_MESSAGE);
    if (!pending)
        return WEFT_MPI_STEP_NONE;
    uint32_t step = begin(&pending->next);
    forget(pending);
    return step;
}
