/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wait and Test and their relatives. While nothing of ours is under way they are MPI's. Otherwise
 * an array of requests is looked at in two parts: those that are MPI's alone, in a copy where all
 * others are MPI_REQUEST_NULL, by one of MPI's own tests; and ours, one by one.
 */
#include "mpi/message/complete.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/message/persistent.h"
#include "mpi/message/watch.h"

/* ---- Two parts ----------------------------------------------------------------------------- */

enum { FEW = 32 };

struct batch {
    int count;
    MPI_Request *requests;            /* the program's */
    MPI_Request *natives;             /* the copy */
    struct weft_mpi_operation **ours; /* NULL: MPI's alone */
    int own;                          /* how many are ours */
    bool has_native;
    MPI_Request few_natives[FEW];
    struct weft_mpi_operation *few_ours[FEW];
};

/* Without memory for the copy there is no way on, and the call must fail: MPI would end receives
 * that nobody has looked at. */
static bool open_batch(struct batch *batch, int count, MPI_Request requests[])
{
    size_t size = count > 0 ? (size_t)count : 0;
    batch->count = count;
    batch->requests = requests;
    batch->natives = batch->few_natives;
    batch->ours = batch->few_ours;
    batch->own = 0;
    batch->has_native = false;
    if (count > FEW) {
        batch->natives = malloc(size * sizeof *batch->natives);
        batch->ours = malloc(size * sizeof *batch->ours);
        if (!batch->natives || !batch->ours) {
            free(batch->natives);
            free(batch->ours);
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        batch->ours[i] = weft_mpi_operation_find(requests[i]);
        batch->natives[i] = batch->ours[i] ? MPI_REQUEST_NULL : requests[i];
        batch->own += batch->ours[i] != NULL;
        batch->has_native = batch->has_native || batch->natives[i] != MPI_REQUEST_NULL;
    }
    return true;
}

static void close_batch(struct batch *batch)
{
    if (batch->count <= FEW)
        return;
    free(batch->natives);
    free(batch->ours);
}

static int finish(struct batch *batch, int i, MPI_Status *status)
{
    struct weft_mpi_operation *operation = batch->ours[i];
    batch->ours[i] = NULL;
    batch->own--;
    return weft_mpi_operation_finish(operation, &batch->requests[i], status);
}

static int tell(struct weft_mpi_operation *operation, MPI_Status *status)
{
    weft_mpi_operation_tell(operation, status);
    return weft_mpi_operation_failure(operation);
}

/* Says how one of ours that is ready has ended; unless the program only asks, that is its end. */
static int end_or_tell(struct batch *batch, int i, bool is_end, MPI_Status *status)
{
    return is_end ? finish(batch, i, status) : tell(batch->ours[i], status);
}

static MPI_Status *status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* ---- Quiet waits --------------------------------------------------------------------------- */

static void let_go(struct batch *batch, int count)
{
    for (int i = 0; i < count; i++)
        if (batch->ours[i])
            weft_mpi_operation_let_go(batch->ours[i]);
}

/* While nobody waits for us and all of ours are receives, MPI waits at its own speed. What has
 * come is then looked at: tickets are taken, all at once. */
static bool hold_all(struct batch *batch)
{
    int held = 0;
    if (batch->own == 0 || !weft_mpi_operation_is_quiet())
        return false;
    while (held < batch->count &&
           (!batch->ours[held] || weft_mpi_operation_hold(batch->ours[held])))
        held++;
    if (held == batch->count)
        return true;
    let_go(batch, held);
    return false;
}

static int finish_arrived(struct batch *batch, int result, MPI_Status known[],
                          MPI_Status statuses[])
{
    for (int i = 0; i < batch->count; i++) {
        if (!batch->ours[i] || batch->requests[i] != MPI_REQUEST_NULL)
            continue;
        if (result == MPI_SUCCESS && weft_mpi_operation_end_in_place(batch->ours[i], &known[i])) {
            batch->ours[i] = NULL;
            batch->own--;
        } else {
            weft_mpi_operation_arrived(batch->ours[i], &known[i],
                                       result ? known[i].MPI_ERROR : MPI_SUCCESS);
        }
    }
    for (int i = 0; i < batch->count; i++) {
        MPI_Status *status = status_at(statuses, i);
        unsigned looks = 0;
        int own = MPI_SUCCESS;
        if (batch->ours[i] && batch->ours[i]->is_ended) {
            while (!weft_mpi_operation_is_ready(batch->ours[i], true))
                weft_mpi_idle(&looks);
            weft_mpi_go_on(looks);
            own = finish(batch, i, &known[i]);
        }
        if (own != MPI_SUCCESS) {
            known[i].MPI_ERROR = own;
            result = MPI_ERR_IN_STATUS;
        }
        if (status != MPI_STATUS_IGNORE)
            *status = known[i];
    }
    /* After an error MPI may have left some as they were. */
    let_go(batch, batch->count);
    return result;
}

/* MPI sets the errors of statuses only if there is one, which may still be found. */
static void note_success(MPI_Status statuses[], int count)
{
    for (int i = 0; i < count && statuses != MPI_STATUSES_IGNORE; i++)
        statuses[i].MPI_ERROR = MPI_SUCCESS;
}

/* False without memory: then there is the other way. */
static bool wait_all_quietly(struct batch *batch, MPI_Status statuses[], int *result)
{
    MPI_Status few[FEW], *known = few;
    if (batch->count > FEW)
        known = malloc((size_t)batch->count * sizeof *known);
    if (!known) {
        let_go(batch, batch->count);
        return false;
    }
    *result = mpi.Waitall(batch->count, batch->requests, known);
    if (*result == MPI_SUCCESS)
        note_success(known, batch->count);
    *result = finish_arrived(batch, *result, known, statuses);
    if (known != few)
        free(known);
    return true;
}

static int wait_quietly(struct weft_mpi_operation *operation, MPI_Request *request,
                        MPI_Status *status)
{
    MPI_Status known;
    unsigned looks = 0;
    known.MPI_ERROR = MPI_SUCCESS;
    int result = mpi.Wait(request, &known);
    if (result == MPI_SUCCESS && weft_mpi_operation_end_in_place(operation, &known)) {
        weft_mpi_status_copy(status, &known);
        return result;
    }
    weft_mpi_operation_arrived(operation, &known, result);
    while (!weft_mpi_operation_is_ready(operation, true))
        weft_mpi_idle(&looks);
    weft_mpi_go_on(looks);
    int own = weft_mpi_operation_finish(operation, NULL, status);
    return result ? result : own;
}

/* ---- One ----------------------------------------------------------------------------------- */

static int test(struct weft_mpi_operation *operation, MPI_Request *request, int *flag,
                MPI_Status *status)
{
    if (!operation)
        return mpi.Test(request, flag, status);
    *flag = weft_mpi_operation_is_ready(operation, true);
    return *flag ? weft_mpi_operation_finish(operation, request, status) : MPI_SUCCESS;
}

int weft_mpi_wait(MPI_Request *request, MPI_Status *status)
{
    struct weft_mpi_operation *operation = weft_mpi_operation_find(*request);
    unsigned looks = 0;
    int flag = 0, result = MPI_SUCCESS;
    if (weft_mpi_operation_is_quiet() && !operation)
        return mpi.Wait(request, status);
    if (weft_mpi_operation_is_quiet() && weft_mpi_operation_hold(operation))
        return wait_quietly(operation, request, status);
    while ((result = test(operation, request, &flag, status)) == MPI_SUCCESS && !flag)
        weft_mpi_idle(&looks);
    weft_mpi_go_on(looks);
    return result;
}

/* ---- All ----------------------------------------------------------------------------------- */

/* MPI has set the natives to what they are now; ours follow. */
static int finish_all(struct batch *batch, int result, MPI_Status statuses[])
{
    for (int i = 0; i < batch->count; i++) {
        MPI_Status *status = status_at(statuses, i);
        if (!batch->ours[i]) {
            batch->requests[i] = batch->natives[i];
            continue;
        }
        int own = finish(batch, i, status);
        if (own != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = own;
    }
    return result;
}

static int look_at_all(struct batch *batch, int *flag, MPI_Status statuses[])
{
    int result = MPI_SUCCESS;
    *flag = weft_mpi_operation_are_ready(batch->ours, batch->count);
    if (*flag)
        result = mpi.Testall(batch->count, batch->natives, flag, statuses);
    if (*flag && result == MPI_SUCCESS)
        note_success(statuses, batch->count);
    if (*flag || result != MPI_SUCCESS)
        return finish_all(batch, result, statuses);
    return result;
}

/* MPICH 4.2 does not do it right with all at once. */
static int see_all(struct batch *batch, int *flag, MPI_Status statuses[])
{
    int result = MPI_SUCCESS;
    *flag = weft_mpi_operation_are_ready(batch->ours, batch->count);
    for (int i = 0; i < batch->count && *flag; i++) {
        MPI_Status *status = status_at(statuses, i);
        int error = batch->ours[i] ? tell(batch->ours[i], status)
                                   : mpi.Request_get_status(batch->natives[i], flag, status);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = error;
        if (error != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
    }
    return result;
}

/* MPI says that some have failed, others not: statuses of requests that are not over say so. */
int weft_mpi_wait_all(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct batch batch;
    unsigned looks = 0;
    int flag = 0, result = MPI_SUCCESS;
    if (!open_batch(&batch, count, requests))
        return weft_mpi_raise_no_memory(MPI_COMM_WORLD);
    if (hold_all(&batch) && wait_all_quietly(&batch, statuses, &result)) {
        close_batch(&batch);
        return result;
    }
    while ((result = look_at_all(&batch, &flag, statuses)) == MPI_SUCCESS && !flag)
        weft_mpi_idle(&looks);
    weft_mpi_go_on(looks);
    close_batch(&batch);
    return result;
}

/* ---- Any ----------------------------------------------------------------------------------- */

/* *flag is also set if there is nothing to wait for: then *index is MPI_UNDEFINED. */
static int look_at_any(struct batch *batch, bool is_end, int *index, int *flag, MPI_Status *status)
{
    for (int i = 0; i < batch->count; i++)
        if (batch->ours[i] && weft_mpi_operation_is_ready(batch->ours[i], true)) {
            *index = i;
            *flag = 1;
            return end_or_tell(batch, i, is_end, status);
        }
    *flag = 0;
    *index = MPI_UNDEFINED;
    if (!batch->has_native && batch->own > 0)
        return MPI_SUCCESS;
    int result =
        is_end ? mpi.Testany(batch->count, batch->natives, index, flag, status)
               : mpi.Request_get_status_any(batch->count, batch->natives, index, flag, status);
    if (*index == MPI_UNDEFINED && batch->own > 0)
        *flag = 0;
    if (*flag && *index != MPI_UNDEFINED && is_end)
        batch->requests[*index] = batch->natives[*index];
    return result;
}

static int wait_any(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct batch batch;
    unsigned looks = 0;
    int flag = 0, result = MPI_SUCCESS;
    if (!open_batch(&batch, count, requests))
        return weft_mpi_raise_no_memory(MPI_COMM_WORLD);
    while ((result = look_at_any(&batch, true, index, &flag, status)) == MPI_SUCCESS && !flag)
        weft_mpi_idle(&looks);
    weft_mpi_go_on(looks);
    close_batch(&batch);
    return result;
}

/* ---- Some ---------------------------------------------------------------------------------- */

static int add_own(struct batch *batch, bool is_end, int *done, int indices[],
                   MPI_Status statuses[])
{
    int result = MPI_SUCCESS;
    for (int i = 0; i < batch->count; i++) {
        if (!batch->ours[i] || !weft_mpi_operation_is_ready(batch->ours[i], true))
            continue;
        MPI_Status *status = status_at(statuses, *done);
        int own = end_or_tell(batch, i, is_end, status);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = own;
        if (own != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
        indices[(*done)++] = i;
    }
    return result;
}

/* *done is MPI_UNDEFINED if there is nothing to wait for. */
static int look_at_some(struct batch *batch, bool is_end, int *done, int indices[],
                        MPI_Status statuses[])
{
    int result = MPI_SUCCESS, natives = MPI_UNDEFINED, own = batch->own;
    if (batch->has_native)
        result = is_end ? mpi.Testsome(batch->count, batch->natives, &natives, indices, statuses)
                        : mpi.Request_get_status_some(batch->count, batch->natives, &natives,
                                                      indices, statuses);
    *done = natives == MPI_UNDEFINED ? 0 : natives;
    if (result == MPI_SUCCESS)
        note_success(statuses, *done);
    for (int i = 0; i < *done && is_end; i++)
        batch->requests[indices[i]] = batch->natives[indices[i]];
    int added = add_own(batch, is_end, done, indices, statuses);
    if (own == 0 && natives == MPI_UNDEFINED)
        *done = MPI_UNDEFINED;
    return result ? result : added;
}

static int wait_some(int count, MPI_Request requests[], int *done, int indices[],
                     MPI_Status statuses[])
{
    struct batch batch;
    unsigned looks = 0;
    int result = MPI_SUCCESS;
    if (!open_batch(&batch, count, requests))
        return weft_mpi_raise_no_memory(MPI_COMM_WORLD);
    while ((result = look_at_some(&batch, true, done, indices, statuses)) == MPI_SUCCESS &&
           *done == 0)
        weft_mpi_idle(&looks);
    weft_mpi_go_on(looks);
    close_batch(&batch);
    return result;
}

/* ---- One look ------------------------------------------------------------------------------ */

static bool open_test(struct batch *batch, int count, MPI_Request requests[])
{
    bool is_open = open_batch(batch, count, requests);
    if (is_open)
        weft_mpi_progress();
    return is_open;
}

static int close_test(struct batch *batch, int result)
{
    close_batch(batch);
    weft_mpi_thread_wake();
    return result;
}

/* Those that are over are ended, unless the program only asks. */
static int test_all(int count, const MPI_Request requests[], bool is_end, int *flag,
                    MPI_Status statuses[])
{
    struct batch batch;
    if (!open_test(&batch, count, (MPI_Request *)requests))
        return weft_mpi_raise_no_memory(MPI_COMM_WORLD);
    return close_test(&batch, is_end ? look_at_all(&batch, flag, statuses)
                                     : see_all(&batch, flag, statuses));
}

static int test_any(int count, const MPI_Request requests[], bool is_end, int *index, int *flag,
                    MPI_Status *status)
{
    struct batch batch;
    return open_test(&batch, count, (MPI_Request *)requests)
               ? close_test(&batch, look_at_any(&batch, is_end, index, flag, status))
               : weft_mpi_raise_no_memory(MPI_COMM_WORLD);
}

static int test_some(int count, const MPI_Request requests[], bool is_end, int *done,
                     int indices[], MPI_Status statuses[])
{
    struct batch batch;
    return open_test(&batch, count, (MPI_Request *)requests)
               ? close_test(&batch, look_at_some(&batch, is_end, done, indices, statuses))
               : weft_mpi_raise_no_memory(MPI_COMM_WORLD);
}

/* ---- The calls ----------------------------------------------------------------------------- */

#define IS_INVOLVED (weft_mpi_operation_is_any() && WEFT_MPI_IS_OURS)

WEFT_MPI_APART int look_at_wait(MPI_Request *request, MPI_Status *status, const void *caller)
{
    if (weft_mpi_is_library(caller))
        return mpi.Wait(request, status);
    if (weft_mpi_watch_may_end(1))
        return weft_mpi_watch_wait(request, status);
    return weft_mpi_operation_is_any() ? weft_mpi_wait(request, status)
                                       : mpi.Wait(request, status);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    weft_mpi_count_wait();
    if (!request || !weft_mpi_is_under_way() || !weft_mpi.is_on)
        return mpi.Wait(request, status);
    return look_at_wait(request, status, __builtin_return_address(0));
}
WEFT_MPI_ALSO_PMPI(Wait);

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    weft_mpi_count_wait();
    if (!request || !IS_INVOLVED)
        return mpi.Test(request, flag, status);
    weft_mpi_progress();
    int result = test(weft_mpi_operation_find(*request), request, flag, status);
    weft_mpi_thread_wake();
    return result;
}
WEFT_MPI_ALSO_PMPI(Test);

#define BY_US_OR_MPI(by_us, name, ...)                                                            \
    (count > 0 && IS_INVOLVED ? by_us(count, requests, __VA_ARGS__)                               \
                              : mpi.name(count, requests, __VA_ARGS__))

#define TEST_OR_MPI(test, is_end, name, ...)                                                      \
    (count > 0 && IS_INVOLVED ? test(count, requests, is_end, __VA_ARGS__)                        \
                              : mpi.name(count, requests, __VA_ARGS__))

WEFT_MPI_APART int look_at_wait_all(int count, MPI_Request requests[], MPI_Status statuses[],
                                    const void *caller)
{
    if (weft_mpi_is_library(caller))
        return mpi.Waitall(count, requests, statuses);
    if (weft_mpi_watch_may_end(count))
        return weft_mpi_watch_wait_all(count, requests, statuses);
    return weft_mpi_operation_is_any() ? weft_mpi_wait_all(count, requests, statuses)
                                       : mpi.Waitall(count, requests, statuses);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    weft_mpi_count_wait();
    if (count <= 0 || !weft_mpi_is_under_way() || !weft_mpi.is_on)
        return mpi.Waitall(count, requests, statuses);
    return look_at_wait_all(count, requests, statuses, __builtin_return_address(0));
}
WEFT_MPI_ALSO_PMPI(Waitall);

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    weft_mpi_count_wait();
    return TEST_OR_MPI(test_all, true, Testall, flag, statuses);
}
WEFT_MPI_ALSO_PMPI(Testall);

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    weft_mpi_count_wait();
    return BY_US_OR_MPI(wait_any, Waitany, index, status);
}
WEFT_MPI_ALSO_PMPI(Waitany);

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    weft_mpi_count_wait();
    return TEST_OR_MPI(test_any, true, Testany, index, flag, status);
}
WEFT_MPI_ALSO_PMPI(Testany);

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
                 MPI_Status statuses[])
{
    weft_mpi_count_wait();
    return BY_US_OR_MPI(wait_some, Waitsome, done, indices, statuses);
}
WEFT_MPI_ALSO_PMPI(Waitsome);

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[],
                 MPI_Status statuses[])
{
    weft_mpi_count_wait();
    return TEST_OR_MPI(test_some, true, Testsome, done, indices, statuses);
}
WEFT_MPI_ALSO_PMPI(Testsome);

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct weft_mpi_operation *operation = IS_INVOLVED ? weft_mpi_operation_find(request) : NULL;
    if (!operation)
        return mpi.Request_get_status(request, flag, status);
    weft_mpi_progress();
    *flag = weft_mpi_operation_is_ready(operation, true);
    int result = *flag ? tell(operation, status) : MPI_SUCCESS;
    weft_mpi_thread_wake();
    return result;
}
WEFT_MPI_ALSO_PMPI(Request_get_status);

int MPI_Request_get_status_all(int count, WEFT_MPI_ASKED requests[], int *flag,
                               MPI_Status statuses[])
{
    return TEST_OR_MPI(test_all, false, Request_get_status_all, flag, statuses);
}
WEFT_MPI_ALSO_PMPI(Request_get_status_all);

int MPI_Request_get_status_any(int count, WEFT_MPI_ASKED requests[], int *index, int *flag,
                               MPI_Status *status)
{
    return TEST_OR_MPI(test_any, false, Request_get_status_any, index, flag, status);
}
WEFT_MPI_ALSO_PMPI(Request_get_status_any);

int MPI_Request_get_status_some(int count, WEFT_MPI_ASKED requests[], int *done, int indices[],
                                MPI_Status statuses[])
{
    return TEST_OR_MPI(test_some, false, Request_get_status_some, done, indices, statuses);
}
WEFT_MPI_ALSO_PMPI(Request_get_status_some);

/* MPI has not started it, so it is free at once; what was begun in its place goes on. */
static int free_persistent(struct weft_mpi_operation *operation, MPI_Request *request)
{
    struct weft_mpi_operation *begun = weft_mpi_operation_find(operation->inner);
    if (begun)
        weft_mpi_operation_orphan(begun);
    else
        mpi.Request_free(&operation->inner);
    weft_mpi_operation_forget(operation);
    return mpi.Request_free(request);
}

static int free_any(struct weft_mpi_operation *operation, MPI_Request *request)
{
    if (!operation)
        return mpi.Request_free(request);
    if (operation->kind == WEFT_MPI_PERSISTENT)
        return free_persistent(operation, request);
    weft_mpi_operation_orphan(operation);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request *request)
{
    if (!request || (!weft_mpi_persistent_is_any() && !weft_mpi_is_under_way()) ||
        !WEFT_MPI_IS_OURS)
        return mpi.Request_free(request);
    struct weft_mpi_persistent *persistent = weft_mpi_persistent_take(*request);
    int result = free_any(weft_mpi_operation_find(*request), request);
    weft_mpi_persistent_drop(persistent);
    return result;
}
WEFT_MPI_ALSO_PMPI(Request_free);

static bool is_left_to_mpi(const struct weft_mpi_operation *operation)
{
    return !operation || operation->kind == WEFT_MPI_RECEIVE ||
           operation->kind == WEFT_MPI_SEND_PACKED;
}

/* MPI may cancel what is its own. It promises that the wait for what was cancelled ends whatever
 * others do, and so does that for the send of a ticket: it goes on, but waits only so long. */
int MPI_Cancel(MPI_Request *request)
{
    struct weft_mpi_operation *operation =
        request && IS_INVOLVED ? weft_mpi_operation_find(*request) : NULL;
    if (!operation)
        return mpi.Cancel(request);
    MPI_Request inner =
        operation->kind == WEFT_MPI_PERSISTENT ? operation->inner : operation->request;
    if (!is_left_to_mpi(weft_mpi_operation_find(inner)))
        return MPI_SUCCESS;
    /* Another thread may be about to end it. */
    weft_mpi_lock(&weft_mpi.lock);
    int result = operation->is_ended ? MPI_SUCCESS : mpi.Cancel(&inner);
    weft_mpi_unlock(&weft_mpi.lock);
    return result;
}
WEFT_MPI_ALSO_PMPI(Cancel);
