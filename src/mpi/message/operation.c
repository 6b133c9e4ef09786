/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/operation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/courtesy.h"
#include "base/hash.h"
#include "base/log.h"
#include "mpi/guard.h"
#include "mpi/message/persistent.h"
#include "mpi/message/watch.h"
#include "transfer/net.h"

#define FIRST_BUCKETS 256u
/* How long a send waits for its receiver before it copies its data and returns, in nanoseconds:
 * so much, and so much for a byte. A receiver may sit in a call of MPI that we do not see, and
 * wait there for the sender. */
#define PATIENCE 5000000u
#define PATIENCE_FOR_BYTE 1u
/* Short data is copied in less time than that. */
#define SHORT_PATIENCE 10000u
/* A synchronous send waits longer: its receiver may have found it by a probe, and still be telling
 * us that nobody wants it yet. */
#define SYNCHRONOUS_PATIENCE 50000000u
/* Looks between two at the clock, and at MPI while all is ours. */
#define CLOCK_LOOKS 64u
/* Looks that find nothing, after which others may have the processor. */
#define IDLE_LOOKS 1000u

static struct weft_mpi_operation *first_buckets[FIRST_BUCKETS], **buckets = first_buckets;
static size_t bucket_count = FIRST_BUCKETS; /* a power of two */
static struct weft_list all = {&all, &all};
atomic_uint weft_mpi_operations;
static struct weft_courtesy courtesy;

/* Operations other than receives whose messages have not come. */
static atomic_uint unsettled;

bool weft_mpi_operation_is_quiet(void)
{
    return atomic_load_explicit(&unsettled, memory_order_relaxed) == 0;
}

static void stir(int change)
{
    weft_mpi_add(&unsettled, change);
}

static bool is_restless(const struct weft_mpi_operation *operation)
{
    return operation->kind != WEFT_MPI_RECEIVE || operation->has_arrived;
}

static struct weft_mpi_operation **place_of(MPI_Request request)
{
    uint64_t number = (uint64_t)(uintptr_t)request;
    struct weft_mpi_operation **at = &buckets[weft_hash_mix(number, 0) & (bucket_count - 1)];
    while (*at && (*at)->request != request)
        at = &(*at)->next;
    return at;
}

static void enter(struct weft_mpi_operation *operation)
{
    struct weft_mpi_operation **end = place_of(operation->request);
    operation->next = NULL;
    *end = operation;
}

/* Programs have as many requests as they like. Without memory the lists get longer. */
static void make_room(void)
{
    struct weft_mpi_operation **old = buckets, **more = NULL;
    size_t old_count = bucket_count;
    if (atomic_load_explicit(&weft_mpi_operations, memory_order_relaxed) >= old_count)
        more = calloc(4 * old_count, sizeof(struct weft_mpi_operation *));
    if (!more)
        return;
    buckets = more;
    bucket_count = 4 * old_count;
    for (size_t i = 0; i < old_count; i++)
        for (struct weft_mpi_operation *operation = old[i], *next; operation; operation = next) {
            next = operation->next;
            enter(operation);
        }
    if (old != first_buckets)
        free(old);
}

static struct weft_mpi_operation *find(MPI_Request request)
{
    return request == MPI_REQUEST_NULL ? NULL : *place_of(request);
}

struct weft_mpi_operation *weft_mpi_operation_find(MPI_Request request)
{
    if (!weft_mpi_operation_is_any())
        return NULL;
    weft_mpi_lock(&weft_mpi.lock);
    struct weft_mpi_operation *operation = find(request);
    weft_mpi_unlock(&weft_mpi.lock);
    return operation;
}

/* ---- Beginning ----------------------------------------------------------------------------- */

/* Some that have ended, none with an envelope: the next message finds them in the cache. Programs
 * with threads leave that to malloc. */
static struct weft_mpi_operation *spare;
static unsigned spares;
#define MOST_SPARES 1024u

static struct weft_mpi_operation *allocate(bool has_envelope)
{
    struct weft_mpi_operation *operation = spare;
    if (has_envelope || weft_mpi.is_threaded || !operation)
        return malloc(sizeof *operation + has_envelope * sizeof operation->sent[0]);
    spare = operation->next;
    spares--;
    return operation;
}

static atomic_size_t owed;

void weft_mpi_operation_owe(struct weft_mpi_operation *operation, size_t bytes)
{
    operation->owed = bytes;
    atomic_fetch_add_explicit(&owed, bytes, memory_order_relaxed);
}

size_t weft_mpi_operation_owed(void)
{
    return atomic_load_explicit(&owed, memory_order_relaxed);
}

static void give_back(struct weft_mpi_operation *operation)
{
    if (operation->owed)
        atomic_fetch_sub_explicit(&owed, operation->owed, memory_order_relaxed);
    operation->owed = 0; /* a place that is kept for a receive is not set before it is used */
    if (operation->kind == WEFT_MPI_SEND_TICKET || weft_mpi.is_threaded || spares == MOST_SPARES) {
        free(operation);
        return;
    }
    operation->next = spare;
    spare = operation;
    spares++;
}

static void set(struct weft_mpi_operation *operation, enum weft_mpi_kind kind, MPI_Comm comm)
{
    memset(operation, 0, offsetof(struct weft_mpi_operation, ticket));
    operation->kind = kind;
    operation->comm = comm;
    operation->request = operation->inner = operation->other = MPI_REQUEST_NULL;
    weft_list_init(&operation->all);
}

struct weft_mpi_operation *weft_mpi_operation_new(enum weft_mpi_kind kind, MPI_Comm comm,
                                                  struct weft_mpi_cargo *cargo)
{
    struct weft_mpi_operation *operation = allocate(kind == WEFT_MPI_SEND_TICKET);
    if (!operation) {
        if (cargo)
            weft_mpi_cargo_close(cargo);
        return NULL;
    }
    set(operation, kind, comm);
    if (cargo)
        operation->cargo = *cargo;
    return operation;
}

void weft_mpi_operation_begin(struct weft_mpi_operation *operation, MPI_Request request)
{
    weft_mpi_lock(&weft_mpi.lock);
    operation->request = request;
    make_room();
    enter(operation);
    weft_list_append(&all, &operation->all);
    weft_mpi_add(&weft_mpi_operations, 1);
    if (is_restless(operation))
        stir(1);
    weft_mpi_unlock(&weft_mpi.lock);
}

/* The status is set when the operation is finished. */
static int query(void *context, MPI_Status *status)
{
    (void)context;
    mpi.Status_set_elements_x(status, MPI_BYTE, 0);
    mpi.Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int forget(void *context)
{
    (void)context;
    return MPI_SUCCESS;
}

static int cancel(void *context, int is_complete)
{
    (void)context;
    (void)is_complete;
    return MPI_SUCCESS;
}

int weft_mpi_operation_begin_general(struct weft_mpi_operation *operation, MPI_Request *request)
{
    int result = mpi.Grequest_start(query, forget, cancel, NULL, request);
    if (result != MPI_SUCCESS)
        return result;
    operation->is_general = true;
    weft_mpi_operation_begin(operation, *request);
    return MPI_SUCCESS;
}

static int begin_or_drop(struct weft_mpi_operation *operation, MPI_Request *request)
{
    int result = weft_mpi_operation_begin_general(operation, request);
    if (result != MPI_SUCCESS)
        weft_mpi_operation_drop(operation);
    return result;
}

int weft_mpi_operation_begin_many(MPI_Comm comm, MPI_Request *members, int size,
                                  MPI_Request *request)
{
    struct weft_mpi_operation *operation = weft_mpi_operation_new(WEFT_MPI_MANY, comm, NULL);
    if (!operation)
        return MPI_ERR_NO_MEM;
    operation->members = members;
    operation->size = size;
    return begin_or_drop(operation, request);
}

int weft_mpi_operation_begin_task(MPI_Comm comm, struct weft_mpi_task *task, MPI_Request *request)
{
    struct weft_mpi_operation *operation = weft_mpi_operation_new(WEFT_MPI_TASK, comm, NULL);
    if (!operation)
        return MPI_ERR_NO_MEM;
    operation->task = task;
    return begin_or_drop(operation, request);
}

void weft_mpi_operation_drop(struct weft_mpi_operation *operation)
{
    weft_mpi_cargo_close(&operation->cargo);
    give_back(operation);
}

struct weft_mpi_operation *weft_mpi_operation_reserve(void)
{
    struct weft_mpi_operation *operation = allocate(false);
    if (operation) {
        operation->kind = WEFT_MPI_RECEIVE;
        operation->cargo = (struct weft_mpi_cargo){0};
    }
    return operation;
}

void weft_mpi_operation_begin_reserved(struct weft_mpi_operation *operation, MPI_Request request,
                                       bool is_lasting)
{
    struct weft_mpi_cargo cargo = operation->cargo;
    set(operation, WEFT_MPI_RECEIVE, operation->comm);
    operation->cargo = cargo;
    operation->is_lasting = is_lasting;
    weft_mpi_operation_begin(operation, request);
}

/* ---- Tickets ------------------------------------------------------------------------------- */

/* True if it has ended. */
static bool test_transfer(struct weft_mpi_operation *operation)
{
    if (!operation->transfer)
        return true;
    int error = weft_test(&operation->transfer, NULL);
    if (error == WEFT_ERR_TIMEOUT && operation->transfer)
        return false;
    operation->error = weft_mpi_class_of(error);
    weft_mpi_thread_count(-1);
    return true;
}

/* ---- Patience ------------------------------------------------------------------------------ */

static uint64_t patience_for(size_t bytes)
{
    return bytes > WEFT_NET_COPIED ? PATIENCE + bytes * PATIENCE_FOR_BYTE : SHORT_PATIENCE;
}

static bool is_patience_lost(uint64_t *since, uint64_t patience)
{
    uint64_t time = weft_clock_now();
    if (!*since)
        *since = time;
    if (time - *since < patience)
        return false;
    *since = 0;
    return true;
}

/* MPICH moves nothing for who probes a communicator of its own process alone: others would wait
 * for what MPI itself has still to send. */
static void kick_native(void)
{
    MPI_Comm comm = weft_mpi.is_joint ? weft_mpi.comm : weft_mpi.self;
    int flag;
    mpi.Iprobe(MPI_ANY_SOURCE, 0, comm, &flag, MPI_STATUS_IGNORE);
}

int weft_mpi_wait_taken(weft_request **transfer)
{
    int error;
    while ((error = weft_wait(transfer, 1, NULL)) == WEFT_ERR_TIMEOUT && *transfer) {
        weft_mpi_progress();
        kick_native();
    }
    weft_mpi_thread_count(-1);
    return weft_mpi_class_of(error);
}

int weft_mpi_wait_given(weft_request **transfer, size_t bytes)
{
    int error;
    uint64_t since = 0;
    weft_mpi_thread_enter();
    while ((error = weft_wait(transfer, 1, NULL)) == WEFT_ERR_TIMEOUT && *transfer) {
        weft_mpi_progress();
        kick_native();
        if (is_patience_lost(&since, patience_for(bytes)))
            weft_release(transfer);
    }
    weft_mpi_thread_leave();
    return weft_mpi_class_of(error);
}

static uint64_t patience_of(const struct weft_mpi_operation *operation)
{
    uint64_t patience = patience_for(operation->cargo.data.bytes);
    return operation->is_synchronous ? patience + SYNCHRONOUS_PATIENCE : patience;
}

static void lose_patience(struct weft_mpi_operation *operation)
{
    bool is_time = operation->looks++ % CLOCK_LOOKS == 0 || weft_courtesy_is_in_company(&courtesy);
    if (!is_time || !is_patience_lost(&operation->since, patience_of(operation)))
        return;
    /* Whatever its receiver has said is to be heard first. */
    if (operation->is_synchronous)
        weft_mpi_thread_look();
    if (weft_release(&operation->transfer) == WEFT_OK)
        weft_mpi_thread_count(-1);
}

/* ---- Moving on ----------------------------------------------------------------------------- */

/* The ticket of a synchronous send is one, too: it has been sent when MPI has matched it. */
static bool step_ticket(struct weft_mpi_operation *operation, bool is_waited_for)
{
    int is_sent = 1, result = MPI_SUCCESS;
    if (operation->inner != MPI_REQUEST_NULL)
        result = mpi.Test(&operation->inner, &is_sent, MPI_STATUS_IGNORE);
    if (result != MPI_SUCCESS)
        operation->error = result;
    if (operation->transfer && test_transfer(operation))
        operation->transfer = NULL;
    bool may_end = is_sent || !operation->is_synchronous;
    if (operation->transfer && is_waited_for && may_end)
        lose_patience(operation);
    if (is_sent && !operation->transfer)
        weft_mpi_data_count_waited(&operation->cargo.data, operation->began);
    return is_sent && !operation->transfer;
}

static bool take_arrived(struct weft_mpi_operation *operation)
{
    struct weft_mpi_cargo *cargo = &operation->cargo;
    if (!operation->is_pulled &&
        !weft_mpi_cargo_ticket(cargo, &operation->status, &operation->ticket)) {
        operation->error = weft_mpi_cargo_settle(cargo, &operation->status);
        return true;
    }
    operation->is_pulled = true;
    int class = weft_mpi_cargo_take(cargo, &operation->ticket, &operation->transfer);
    if (class == WEFT_MPI_TRY_AGAIN)
        return false;
    operation->error = class;
    return true;
}

/* Whether MPI has ended a request. MPICH answers with the error of one that has failed, and calls
 * the error handler: then that is done, and must not happen again at the end. */
static bool look_at(struct weft_mpi_operation *operation, MPI_Request request, MPI_Status *status)
{
    int flag = 0;
    int result = mpi.Request_get_status(request, &flag, status);
    if (result != MPI_SUCCESS)
        operation->failure = result;
    return flag || result != MPI_SUCCESS;
}

/* What MPI_Wait would say of a request that has ended. */
static int end_request(struct weft_mpi_operation *operation, MPI_Request *request,
                       MPI_Status *status)
{
    if (!operation->failure)
        return mpi.Wait(request, status);
    int result = operation->failure;
    operation->failure = MPI_SUCCESS;
    mpi.Request_free(request);
    weft_mpi_status_copy(status, &operation->status);
    return result;
}

/* MPICH tells of an error when it is asked for a status, too. */
#ifdef OPEN_MPI
enum { IS_TOLD_WITH_STATUS = false };
#else
enum { IS_TOLD_WITH_STATUS = true };
#endif

/* A persistent one may be ended at once, as its request stays what it was: then of an error is
 * told once. */
static bool has_come(struct weft_mpi_operation *operation)
{
    int flag = 0;
    if (!operation->is_lasting || !IS_TOLD_WITH_STATUS)
        return look_at(operation, operation->request, &operation->status);
    MPI_Request request = operation->request;
    operation->failure = mpi.Test(&request, &flag, &operation->status);
    operation->is_ended = flag || operation->failure != MPI_SUCCESS;
    operation->is_lost = request == MPI_REQUEST_NULL;
    return operation->is_ended;
}

/* Whether the message of a receive has come, and as a ticket. */
static void look_for_ticket(struct weft_mpi_operation *operation)
{
    bool is_mpi_at_it = operation->is_held && !operation->is_ended;
    if (operation->kind != WEFT_MPI_RECEIVE || operation->has_arrived || is_mpi_at_it)
        return;
    int cancelled = 0;
    if (!operation->is_ended && !has_come(operation))
        return;
    mpi.Test_cancelled(&operation->status, &cancelled);
    operation->has_arrived = cancelled || operation->failure || take_arrived(operation);
    if (operation->has_arrived)
        stir(1);
}

static bool step_receive(struct weft_mpi_operation *operation)
{
    if (!operation->has_arrived || !test_transfer(operation))
        return false;
    if (operation->is_pulled) {
        weft_mpi_status_bytes(&operation->status,
                              weft_mpi_cargo_bytes(&operation->cargo, &operation->ticket));
        operation->error = weft_mpi_cargo_taken(&operation->cargo, &operation->ticket,
                                                operation->error, operation->began);
    }
    return true;
}

/* MPICH moves on requests of files only for who tests them. What MPI has not written is as it was,
 * for the buffer began with that. */
static bool step_staged(struct weft_mpi_operation *operation)
{
    const struct weft_mpi_cargo *cargo = &operation->cargo;
    int is_over = 0;
    operation->error = mpi.Test(&operation->inner, &is_over, &operation->status);
    if (!is_over && operation->error == MPI_SUCCESS)
        return false;
    if (operation->kind == WEFT_MPI_STAGED_IN && operation->error == MPI_SUCCESS)
        operation->error = weft_mpi_data_unpack(&cargo->data, cargo->buffer, cargo->data.bytes);
    return true;
}

/* One that another operation has begun. */
static bool is_over(struct weft_mpi_operation *outer, MPI_Request request)
{
    struct weft_mpi_operation *operation = find(request);
    if (operation)
        return operation->is_ready;
    return request == MPI_REQUEST_NULL || look_at(outer, request, &outer->status);
}

/* The whole has no status of its own. Of an error MPI has told the error handler of our
 * communicator, but not yet that of the program's. */
static bool are_over(struct weft_mpi_operation *operation)
{
    while (operation->over < operation->size &&
           is_over(operation, operation->members[operation->over]))
        operation->over++;
    if (operation->failure)
        operation->error = operation->failure;
    operation->failure = MPI_SUCCESS;
    query(NULL, &operation->status);
    return operation->over == operation->size;
}

static bool is_task_over(struct weft_mpi_operation *operation)
{
    query(NULL, &operation->status);
    return operation->task->is_over(operation->task, &operation->error);
}

static bool step(struct weft_mpi_operation *operation, bool is_waited_for)
{
    switch (operation->kind) {
    case WEFT_MPI_SEND_PACKED:
        return look_at(operation, operation->request, &operation->status);
    case WEFT_MPI_SEND_TICKET:
        return step_ticket(operation, is_waited_for);
    case WEFT_MPI_RECEIVE:
    case WEFT_MPI_TAKE:
        return step_receive(operation);
    case WEFT_MPI_PAIR:
        return is_over(operation, operation->other) && is_over(operation, operation->inner);
    case WEFT_MPI_PERSISTENT:
        return is_over(operation, operation->inner);
    case WEFT_MPI_MANY:
        return are_over(operation);
    case WEFT_MPI_TASK:
        return is_task_over(operation);
    case WEFT_MPI_STAGED_OUT:
    case WEFT_MPI_STAGED_IN:
        return step_staged(operation);
    }
    return true;
}

static bool advance(struct weft_mpi_operation *operation, bool is_waited_for)
{
    if (!operation->is_ready)
        operation->is_ready = step(operation, is_waited_for);
    return operation->is_ready;
}

static void visit_each(const MPI_Request requests[], int size,
                       void visit(struct weft_mpi_operation *))
{
    for (int i = 0; i < size; i++) {
        struct weft_mpi_operation *member = find(requests[i]);
        if (member)
            visit(member);
    }
}

/* The members of a pair and of many, and what a persistent request has started, are waited for
 * with it. */
static void visit_members(struct weft_mpi_operation *operation,
                          void visit(struct weft_mpi_operation *))
{
    const MPI_Request two[] = {operation->inner, operation->other};
    if (operation->kind == WEFT_MPI_MANY)
        visit_each(operation->members + operation->over, operation->size - operation->over, visit);
    else if (operation->kind == WEFT_MPI_PAIR || operation->kind == WEFT_MPI_PERSISTENT)
        visit_each(two, 2, visit);
}

/* A member may have members: of a persistent exchange, all messages. */
static void advance_member(struct weft_mpi_operation *operation)
{
    visit_members(operation, advance_member);
    advance(operation, true);
}

static void look(struct weft_mpi_operation *operation)
{
    look_for_ticket(operation);
    visit_members(operation, look);
}

static bool move_on(struct weft_mpi_operation *operation, bool is_waited_for)
{
    visit_members(operation, advance_member);
    if (is_waited_for && !operation->began)
        operation->began = weft_mpi_clock();
    return advance(operation, is_waited_for);
}

bool weft_mpi_operation_is_ready(struct weft_mpi_operation *operation, bool is_waited_for)
{
    weft_mpi_lock(&weft_mpi.lock);
    look(operation);
    bool is_ready = move_on(operation, is_waited_for);
    weft_mpi_unlock(&weft_mpi.lock);
    return is_ready;
}

bool weft_mpi_operation_are_ready(struct weft_mpi_operation *const operations[], int size)
{
    bool is_ready = true;
    weft_mpi_lock(&weft_mpi.lock);
    for (int i = 0; i < size; i++)
        if (operations[i])
            look(operations[i]);
    for (int i = 0; i < size; i++)
        if (operations[i])
            is_ready = move_on(operations[i], true) && is_ready;
    weft_mpi_unlock(&weft_mpi.lock);
    return is_ready;
}

/* The lock is held. */
static void advance_all(void)
{
    for (struct weft_list *link = all.next; link != &all; link = link->next)
        look_for_ticket(weft_list_object(link, struct weft_mpi_operation, all));
    for (struct weft_list *link = all.next; link != &all; link = link->next)
        advance(weft_list_object(link, struct weft_mpi_operation, all), false);
}

void weft_mpi_progress(void)
{
    if (!weft_mpi_operation_is_any() || !weft_mpi_try_lock(&weft_mpi.lock))
        return;
    advance_all();
    weft_mpi_unlock(&weft_mpi.lock);
}

void weft_mpi_settle(void)
{
    if (!weft_mpi_operation_is_any())
        return;
    weft_mpi_lock(&weft_mpi.lock);
    advance_all();
    weft_mpi_unlock(&weft_mpi.lock);
}

void weft_mpi_idle(unsigned *looks)
{
    if (*looks == 0)
        weft_mpi_thread_enter();
    weft_mpi_progress();
    weft_mpi_thread_look();
    if (++*looks < IDLE_LOOKS && !weft_courtesy_is_in_company(&courtesy))
        return;
    if (*looks % CLOCK_LOOKS == 0)
        kick_native();
    weft_courtesy_yield(&courtesy);
}

void weft_mpi_go_on(unsigned looks)
{
    if (looks > 0)
        weft_mpi_thread_leave();
}

/* ---- Ending -------------------------------------------------------------------------------- */

void weft_mpi_status_bytes(MPI_Status *status, size_t bytes)
{
    mpi.Status_set_elements_x(status, MPI_BYTE, (MPI_Count)bytes);
}

void weft_mpi_status_copy(MPI_Status *to, const MPI_Status *from)
{
    if (to == MPI_STATUS_IGNORE)
        return;
    int error = to->MPI_ERROR;
    *to = *from;
    to->MPI_ERROR = error;
}

int weft_mpi_raise(MPI_Comm comm, int class)
{
    if (class != MPI_SUCCESS)
        mpi.Comm_call_errhandler(comm, class);
    return class;
}

int weft_mpi_raise_no_memory(MPI_Comm comm)
{
    weft_log(WEFT_LOG_ERROR, "there is no memory for a call of MPI, which fails for that");
    weft_mpi_count_reason(WEFT_MPI_NO_MEMORY);
    return weft_mpi_raise(comm, MPI_ERR_NO_MEM);
}

/* A pair ends as its receive does, a persistent request as what it has started. */
void weft_mpi_operation_tell(struct weft_mpi_operation *operation, MPI_Status *status)
{
    bool is_outer = operation->kind == WEFT_MPI_PAIR || operation->kind == WEFT_MPI_PERSISTENT;
    struct weft_mpi_operation *inner = is_outer ? weft_mpi_operation_find(operation->inner) : NULL;
    if (inner)
        weft_mpi_operation_tell(inner, status);
    else
        weft_mpi_status_copy(status, &operation->status);
}

int weft_mpi_operation_failure(struct weft_mpi_operation *operation)
{
    struct weft_mpi_operation *inner = weft_mpi_operation_find(operation->inner);
    struct weft_mpi_operation *failed = inner ? inner : operation;
    int failure = failed->failure;
    failed->failure = MPI_SUCCESS;
    /* MPI would say it again, but has ended the request. */
    if (failure && failed->is_ended)
        failed->error = failure;
    if (!failure && IS_TOLD_WITH_STATUS)
        return weft_mpi_raise(failed->comm, failed->error);
    return failure;
}

static void unlink_operation(struct weft_mpi_operation *operation)
{
    weft_mpi_lock(&weft_mpi.lock);
    if (!operation->is_orphan && !operation->is_held)
        *place_of(operation->request) = operation->next;
    if (is_restless(operation))
        stir(-1);
    weft_list_remove(&operation->all);
    weft_mpi_add(&weft_mpi_operations, -1);
    weft_mpi_unlock(&weft_mpi.lock);
}

bool weft_mpi_operation_hold(struct weft_mpi_operation *operation)
{
    weft_mpi_lock(&weft_mpi.lock);
    bool is_free = !operation->is_held && !operation->is_lasting && !is_restless(operation);
    if (is_free) {
        /* MPI may give the handle to another request as soon as it has freed this one. */
        *place_of(operation->request) = operation->next;
        operation->is_held = true;
    }
    weft_mpi_unlock(&weft_mpi.lock);
    return is_free;
}

void weft_mpi_operation_let_go(struct weft_mpi_operation *operation)
{
    weft_mpi_lock(&weft_mpi.lock);
    operation->is_held = false;
    enter(operation);
    weft_mpi_unlock(&weft_mpi.lock);
}

void weft_mpi_operation_arrived(struct weft_mpi_operation *operation, const MPI_Status *status,
                                int failure)
{
    weft_mpi_lock(&weft_mpi.lock);
    operation->request = MPI_REQUEST_NULL;
    operation->is_ended = true;
    operation->status = *status;
    operation->failure = failure;
    weft_mpi_unlock(&weft_mpi.lock);
}

bool weft_mpi_operation_end_in_place(struct weft_mpi_operation *operation,
                                     const MPI_Status *status)
{
    const struct weft_mpi_cargo *cargo = &operation->cargo;
    if (cargo->buffer || weft_mpi_may_be_ticket(status) ||
        weft_mpi_cargo_may_be_cut(cargo, status))
        return false;
    weft_mpi_cargo_settle(cargo, status);
    weft_mpi_operation_forget(operation);
    return true;
}

void weft_mpi_operation_forget(struct weft_mpi_operation *operation)
{
    unlink_operation(operation);
    weft_mpi_operation_drop(operation);
}

/* What was begun in the place of a persistent request, which stays. */
static int finish_begun(struct weft_mpi_operation *operation, MPI_Status *status)
{
    struct weft_mpi_operation *inner = weft_mpi_operation_find(operation->inner);
    if (inner)
        return weft_mpi_operation_finish(inner, &operation->inner, status);
    /* What is started again must be ended by MPI, though it tells of the error twice. */
    if (operation->is_planned)
        operation->failure = MPI_SUCCESS;
    return end_request(operation, &operation->inner, status);
}

static int finish_pair(struct weft_mpi_operation *operation, MPI_Status *status)
{
    struct weft_mpi_operation *send = weft_mpi_operation_find(operation->other);
    struct weft_mpi_operation *receive = weft_mpi_operation_find(operation->inner);
    int sent = send ? weft_mpi_operation_finish(send, &operation->other, MPI_STATUS_IGNORE)
                    : mpi.Wait(&operation->other, MPI_STATUS_IGNORE);
    int received = receive ? weft_mpi_operation_finish(receive, &operation->inner, status)
                           : end_request(operation, &operation->inner, status);
    return received ? received : sent;
}

/* The first error of all is that of the whole. */
static void finish_many(struct weft_mpi_operation *operation)
{
    for (int i = 0; i < operation->size; i++) {
        struct weft_mpi_operation *member = weft_mpi_operation_find(operation->members[i]);
        int result =
            member ? weft_mpi_operation_finish(member, &operation->members[i], MPI_STATUS_IGNORE)
                   : mpi.Wait(&operation->members[i], MPI_STATUS_IGNORE);
        if (!operation->error)
            operation->error = result;
    }
    free(operation->members);
}

/* Nobody may start what MPI has freed: Open MPI does that after an error. What nobody knows any
 * more the program has given up. */
static void end_lasting(struct weft_mpi_operation *operation,
                        struct weft_mpi_persistent *persistent)
{
    if (operation->is_lost)
        operation->request = MPI_REQUEST_NULL;
    if (operation->request == MPI_REQUEST_NULL)
        weft_mpi_persistent_drop(persistent);
    else if (persistent)
        weft_mpi_persistent_put(persistent);
    else
        mpi.Request_free(&operation->request);
}

int weft_mpi_operation_finish(struct weft_mpi_operation *operation, MPI_Request *request,
                              MPI_Status *status)
{
    MPI_Status ignored;
    int result = MPI_SUCCESS;
    /* As soon as MPI has freed its request, another thread may get one of the same number. */
    struct weft_mpi_persistent *persistent =
        operation->is_lasting ? weft_mpi_persistent_take(operation->request) : NULL;
    unlink_operation(operation);
    if (operation->kind == WEFT_MPI_PERSISTENT) {
        result = finish_begun(operation, status);
        weft_mpi_operation_drop(operation);
        return result;
    }
    if (operation->kind == WEFT_MPI_PAIR)
        result = finish_pair(operation, &operation->status);
    if (operation->kind == WEFT_MPI_MANY)
        finish_many(operation);
    if (operation->kind == WEFT_MPI_TASK)
        operation->task->end(operation->task);
    if (operation->is_general)
        mpi.Grequest_complete(operation->request);
    int ended = operation->is_lasting ? operation->failure : MPI_SUCCESS;
    if (!operation->is_ended) {
        ended = end_request(operation, &operation->request, &ignored);
        if (!operation->is_general && !operation->is_pulled)
            operation->status = ignored;
    }
    weft_mpi_status_copy(status, &operation->status);
    if (ended)
        result = ended;
    else if (operation->kind != WEFT_MPI_PAIR)
        result = weft_mpi_raise(operation->comm, operation->error);
    if (operation->is_lasting)
        end_lasting(operation, persistent);
    if (request)
        *request = operation->request;
    weft_mpi_operation_drop(operation);
    return result;
}

static bool is_orphan_ready(struct weft_mpi_operation *orphan)
{
    look_for_ticket(orphan);
    return advance(orphan, false);
}

static struct weft_mpi_operation *first_orphan(bool is_ready)
{
    struct weft_mpi_operation *orphan = NULL;
    weft_mpi_lock(&weft_mpi.lock);
    for (struct weft_list *link = all.next; link != &all && !orphan; link = link->next) {
        struct weft_mpi_operation *operation =
            weft_list_object(link, struct weft_mpi_operation, all);
        if (operation->is_orphan && (!is_ready || is_orphan_ready(operation)))
            orphan = operation;
    }
    weft_mpi_unlock(&weft_mpi.lock);
    return orphan;
}

static void reap(void)
{
    struct weft_mpi_operation *orphan;
    while ((orphan = first_orphan(true)))
        weft_mpi_operation_finish(orphan, NULL, MPI_STATUS_IGNORE);
}

void weft_mpi_operation_orphan(struct weft_mpi_operation *operation)
{
    reap();
    weft_mpi_lock(&weft_mpi.lock);
    *place_of(operation->request) = operation->next;
    operation->is_orphan = true;
    weft_mpi_unlock(&weft_mpi.lock);
}

void weft_mpi_operation_bury_orphans(void)
{
    struct weft_mpi_operation *orphan;
    unsigned looks = 0;
    while ((orphan = first_orphan(false))) {
        while (!weft_mpi_operation_is_ready(orphan, true))
            weft_mpi_idle(&looks);
        weft_mpi_operation_finish(orphan, NULL, MPI_STATUS_IGNORE);
    }
    weft_mpi_go_on(looks);
}
