/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/watch.h"

#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "mpi/message/complete.h"
#include "mpi/message/habit.h"
#include "mpi/message/persistent.h"
#include "mpi/message/probe.h"
#include "mpi/message/receive.h"

enum { ROOM = WEFT_MPI_MOST_WATCHES, MOST = WEFT_MPI_MOST_WAITED };

/* In the order in which they began; what has ended leaves a gap, until all have. Each place keeps
 * an operation from one receive to the next, so that there is memory for it when it is needed. Of
 * what is watched it holds the cargo and the communicator alone; else the cargo is empty. */
static struct watch {
    MPI_Request request;
    bool is_under_way;
    bool is_lasting;                      /* a persistent request */
    struct weft_mpi_operation *operation; /* NULL: the place was not used yet, or lost its one */
} watches[ROOM + 1]; /* the last is never used, so that one may look behind the others */
static unsigned used, next_to_end;
unsigned weft_mpi_watches;

/* ---- Beginning ----------------------------------------------------------------------------- */

/* NULL if there is no room, or no memory. */
static struct weft_mpi_operation *next_place(void)
{
    if (weft_mpi.is_threaded || used == ROOM)
        return NULL;
    struct watch *watch = &watches[used];
    if (!watch->operation)
        watch->operation = weft_mpi_operation_reserve();
    return watch->operation;
}

static void empty(struct weft_mpi_operation *operation)
{
    weft_mpi_cargo_close(&operation->cargo);
    operation->cargo = (struct weft_mpi_cargo){0};
}

/* Receives at the next place, of whose operation the cargo is open. MPI may call an error handler
 * of the program, which may receive, too: so the place is taken before, and what has failed leaves
 * a gap. */
static int begin(const struct weft_mpi_args *args, MPI_Request *request,
                 struct weft_mpi_operation *operation)
{
    struct watch *watch = &watches[used++];
    int result = weft_mpi_begin_by_args(args, request);
    if (result == MPI_SUCCESS) {
        operation->comm = args->comm;
        watch->request = *request;
        watch->is_lasting = args->is_made;
        watch->is_under_way = true;
        weft_mpi_watches++;
    } else {
        empty(operation);
        if (watch + 1 == &watches[used])
            used--;
    }
    return result;
}

static int begin_as_cargo(const struct weft_mpi_args *args, MPI_Request *request,
                          struct weft_mpi_operation *operation)
{
    const struct weft_mpi_args instead = weft_mpi_cargo_args(args, &operation->cargo);
    return begin(&instead, request, operation);
}

bool weft_mpi_watch_ireceive(const struct weft_mpi_args *args, MPI_Request *request, int *result)
{
    struct weft_mpi_operation *operation;
    if (args->peer == MPI_PROC_NULL || args->count <= 0 || weft_mpi_is_anything_peeked() ||
        !(operation = next_place()))
        return false;
    if (weft_mpi_cargo_open_dense(args, &operation->cargo))
        *result = begin(args, request, operation);
    else if (weft_mpi_habit_receives(args, &operation->cargo))
        *result = operation->cargo.data.type ? begin(args, request, operation)
                                             : begin_as_cargo(args, request, operation);
    else
        return false;
    return true;
}

bool weft_mpi_watch_begin(const struct weft_mpi_args *args, const struct weft_mpi_cargo *cargo,
                          MPI_Request *request, int *result)
{
    struct weft_mpi_operation *operation = cargo->buffer ? NULL : next_place();
    if (!operation)
        return false;
    operation->cargo = *cargo;
    *result = begin_as_cargo(args, request, operation);
    return true;
}

/* ---- What else a program does -------------------------------------------------------------- */

static void forget_all(void)
{
    used = next_to_end = weft_mpi_watches = 0;
}

void weft_mpi_watch_promote(void)
{
    unsigned count = used;
    forget_all();
    for (unsigned i = 0; i < count; i++) {
        struct watch *watch = &watches[i];
        if (!watch->is_under_way)
            continue;
        watch->is_under_way = false;
        weft_mpi_operation_begin_reserved(watch->operation, watch->request, watch->is_lasting);
        watch->operation = NULL;
    }
}

/* ---- Ending -------------------------------------------------------------------------------- */

static inline bool is_it(const struct watch *watch, MPI_Request request)
{
    return watch->request == request && watch->is_under_way;
}

/* Where requests are that one call waits for: numbers of watches, from 1, at places that their
 * requests say. Requests of others between them are looked for in vain, so of many it pays. */
enum { FEW = 16, PLACES = 4 * ROOM };
struct index {
    uint16_t numbers[PLACES];
};

static uint16_t *place_of(struct index *index, MPI_Request request)
{
    unsigned place = (unsigned)weft_hash_mix((uint64_t)(uintptr_t)request, 0) % PLACES;
    while (index->numbers[place] && watches[index->numbers[place] - 1].request != request)
        place = (place + 1) % PLACES;
    return &index->numbers[place];
}

static void fill(struct index *index)
{
    memset(index, 0, sizeof *index);
    for (unsigned at = 0; at < used; at++)
        if (watches[at].is_under_way)
            *place_of(index, watches[at].request) = (uint16_t)(at + 1);
}

static unsigned scan(MPI_Request request)
{
    unsigned at = 0;
    while (at < used && !is_it(&watches[at], request))
        at++;
    return at;
}

/* They mostly end in the order in which they began. The index may be NULL. */
static struct watch *find(struct index *index, MPI_Request request)
{
    unsigned at = next_to_end;
    if (!is_it(&watches[at], request))
        at = index ? *place_of(index, request) - 1u : scan(request);
    if (at >= used || !is_it(&watches[at], request))
        return NULL;
    next_to_end = at + 1;
    return &watches[at];
}

/* From now on nobody asks MPI for it any more. Returns what is known of it. After an error Open
 * MPI has freed a persistent request, too. */
static struct weft_mpi_operation *end(struct watch *watch, MPI_Request now)
{
    watch->is_under_way = false;
    if (--weft_mpi_watches == 0)
        forget_all();
    if (watch->is_lasting && now == MPI_REQUEST_NULL)
        weft_mpi_persistent_drop(weft_mpi_persistent_take(watch->request));
    return watch->operation;
}

static int take(struct weft_mpi_operation *operation, const struct weft_mpi_ticket *ticket,
                const MPI_Status *status, MPI_Request *again)
{
    struct weft_mpi_cargo cargo = operation->cargo;
    operation->cargo = (struct weft_mpi_cargo){0};
    return weft_mpi_ireceive_ticket(ticket, status, &cargo, operation->comm, again);
}

/* Most that comes is no ticket and lies where it belongs: then it only has to be counted. */
static inline bool settle_at_once(struct weft_mpi_operation *operation, const MPI_Status *status)
{
    struct weft_mpi_cargo *cargo = &operation->cargo;
    if (weft_mpi_may_be_ticket(status) || cargo->awaited ||
        weft_mpi_cargo_may_be_cut(cargo, status))
        return false;
    if (cargo->measure) {
        weft_mpi_type_drop(cargo->measure);
        cargo->measure = NULL;
    }
    if (cargo->data.type) {
        weft_mpi_count_received(cargo->data.type->form, WEFT_MPI_NATIVELY,
                                weft_mpi_bytes_of(status));
        weft_mpi_data_close(&cargo->data);
    }
    return true;
}

/* What has come is where it belongs, unless it is a ticket. Then `again` is a request for what the
 * ticket stands for. Fails if it ends where it must not. */
static int settle(struct weft_mpi_operation *operation, const MPI_Status *status, bool has_failed,
                  MPI_Request *again)
{
    struct weft_mpi_ticket ticket;
    if (!has_failed && weft_mpi_cargo_ticket(&operation->cargo, status, &ticket))
        return take(operation, &ticket, status, again);
    int class = has_failed ? MPI_SUCCESS : weft_mpi_cargo_settle(&operation->cargo, status);
    empty(operation);
    return weft_mpi_raise(operation->comm, class);
}

int weft_mpi_watch_wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request before = *request, again = MPI_REQUEST_NULL;
    int result = mpi.Wait(request, known), taking = MPI_SUCCESS;
    struct watch *watch = find(NULL, before);
    bool has_ended = watch && (watch->is_lasting || *request == MPI_REQUEST_NULL);
    struct weft_mpi_operation *operation = has_ended ? end(watch, *request) : NULL;
    bool has_failed = result != MPI_SUCCESS;
    if (operation && (has_failed || !settle_at_once(operation, known)))
        taking = settle(operation, known, has_failed, &again);
    if (taking == MPI_SUCCESS && again != MPI_REQUEST_NULL)
        taking = weft_mpi_wait(&again, known);
    return result ? result : taking;
}

/* One of several requests that were waited for, of which there is more to do. */
struct ending {
    int at; /* its place among them */
    struct weft_mpi_operation *operation;
    bool has_failed;
    MPI_Request again;
    int error;
};

/* All that tickets stand for is taken at once. Statuses of MPI say of errors only if there are
 * some. */
static int settle_all(struct ending endings[], int size, MPI_Status known[], int count, int result)
{
    for (int i = 0; i < count && result == MPI_SUCCESS; i++)
        known[i].MPI_ERROR = MPI_SUCCESS;
    for (int i = 0; i < size; i++) {
        struct ending *ending = &endings[i];
        ending->again = MPI_REQUEST_NULL;
        ending->error =
            settle(ending->operation, &known[ending->at], ending->has_failed, &ending->again);
    }
    for (int i = 0; i < size; i++) {
        struct ending *ending = &endings[i];
        if (!ending->error && ending->again != MPI_REQUEST_NULL)
            ending->error = weft_mpi_wait(&ending->again, &known[ending->at]);
        if (ending->error != MPI_SUCCESS) {
            known[ending->at].MPI_ERROR = ending->error;
            result = MPI_ERR_IN_STATUS;
        }
    }
    return result;
}

/* A persistent request stays what it was: of some that have failed their statuses say whether they
 * have ended. */
static bool has_ended(const struct watch *watch, MPI_Request now, int result,
                      const MPI_Status *status)
{
    int class = result;
    if (!watch->is_lasting || result == MPI_SUCCESS)
        return watch->is_lasting || now == MPI_REQUEST_NULL;
    mpi.Error_class(result, &class);
    return class == MPI_ERR_IN_STATUS && status->MPI_ERROR != MPI_ERR_PENDING;
}

/* To take one may make operations of what is watched, so all that have ended are that no more. */
int weft_mpi_watch_wait_all(int count, MPI_Request requests[], MPI_Status statuses[])
{
    MPI_Status own[MOST], *known = statuses == MPI_STATUSES_IGNORE ? own : statuses;
    MPI_Request before[MOST];
    struct ending endings[ROOM];
    struct index index;
    int left = 0;
    memcpy(before, requests, (size_t)count * sizeof *before);
    int result = mpi.Waitall(count, requests, known);
    bool is_many = used > FEW;
    if (is_many)
        fill(&index);
    for (int i = 0; i < count && weft_mpi_watches; i++) {
        struct watch *watch = find(is_many ? &index : NULL, before[i]);
        if (!watch || !has_ended(watch, requests[i], result, &known[i]))
            continue;
        struct weft_mpi_operation *operation = end(watch, requests[i]);
        bool has_failed = result != MPI_SUCCESS && known[i].MPI_ERROR != MPI_SUCCESS;
        if (has_failed || !settle_at_once(operation, &known[i]))
            endings[left++] =
                (struct ending){.at = i, .operation = operation, .has_failed = has_failed};
    }
    return left > 0 ? settle_all(endings, left, known, count, result) : result;
}
