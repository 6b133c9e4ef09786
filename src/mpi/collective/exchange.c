/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/collective/exchange.h"

#include <limits.h>
#include <stdlib.h>

#include "mpi/message/complete.h"
#include "mpi/message/receive.h"
#include "mpi/message/send.h"

/* ---- Messages ------------------------------------------------------------------------------ */

static ptrdiff_t place_of(const struct weft_mpi_side *side, int index)
{
    MPI_Count low = 0, extent = 1;
    if (!side->types)
        mpi.Type_get_extent_x(side->type, &low, &extent);
    return weft_mpi_side_place(side, index) * (ptrdiff_t)extent;
}

static struct weft_mpi_args message(const struct weft_mpi_exchange *exchange, bool is_send,
                                    int index, int peer)
{
    const struct weft_mpi_side *side = is_send ? &exchange->out : &exchange->in;
    if (index == WEFT_MPI_NO_MESSAGE)
        return (struct weft_mpi_args){.peer = MPI_PROC_NULL};
    return (struct weft_mpi_args){.is_send = is_send,
                                  .buffer = (char *)side->buffer + place_of(side, index),
                                  .count = weft_mpi_side_count(side, index),
                                  .type = weft_mpi_side_type(side, index),
                                  .peer = peer,
                                  .tag = exchange->tag,
                                  .comm = exchange->comm,
                                  .is_judged = exchange->is_judged};
}

/* Both ends of a message see alike whether it has any bytes. */
static bool is_empty(const struct weft_mpi_args *args)
{
    return args->peer == MPI_PROC_NULL || args->count == 0 || weft_mpi_type_is_empty(args->type);
}

/* A type that was not named is none, either. */
static bool has_type(const struct weft_mpi_side *side)
{
    return side->types || (side->type && side->type != MPI_DATATYPE_NULL);
}

/* Only MPI knows whether a type is committed, and says so of a message to nobody. */
static bool is_committed(MPI_Datatype type)
{
    return weft_mpi_type_is_basic(type) ||
           mpi.Send(&weft_mpi, 1, type, MPI_PROC_NULL, WEFT_MPI_EXCHANGE_TAG, weft_mpi.self) ==
               MPI_SUCCESS;
}

/* What this looks at is this process's own affair, so whatever MPI takes must pass: others do not
 * know that it does not. Who has no peers needs no lists, and who sends nothing no type. */
bool weft_mpi_exchange_is_valid(const struct weft_mpi_side *side, int peers)
{
    bool has_places = side->places || side->far, has_lists = side->types || has_places;
    bool has_counts = weft_mpi_side_is_varied(side) ? has_places : side->count >= 0 && !has_lists;
    MPI_Datatype known = MPI_DATATYPE_NULL;
    if (side->buffer == MPI_IN_PLACE || (peers > 0 && (!has_type(side) || !has_counts)))
        return false;
    for (int i = 0; i < peers; i++) {
        int64_t count = weft_mpi_side_count(side, i);
        MPI_Datatype type = weft_mpi_side_type(side, i);
        if (count < 0 ||
            (count > 0 && (type == MPI_DATATYPE_NULL || (type != known && !is_committed(type)))))
            return false;
        known = count > 0 ? type : known;
    }
    return true;
}

bool weft_mpi_exchange_are_valid(const struct weft_mpi_exchange *exchange)
{
    return weft_mpi_exchange_is_valid(&exchange->out, exchange->targets) &&
           weft_mpi_exchange_is_valid(&exchange->in, exchange->sources);
}

bool weft_mpi_exchange(struct weft_mpi_exchange *exchange,
                       const struct weft_mpi_partners *partners, MPI_Request *request, int *result)
{
    if (!partners->prepare(exchange, !request))
        return false;
    *result = partners->run(exchange, request);
    return true;
}

struct weft_mpi_exchange_step
weft_mpi_exchange_step_around(const struct weft_mpi_exchange *exchange, int number)
{
    int to = (exchange->rank + number) % exchange->size;
    int from = (exchange->rank - number + exchange->size) % exchange->size;
    return (struct weft_mpi_exchange_step){.to = to, .out = to, .from = from, .in = from};
}

/* ---- Beginning ----------------------------------------------------------------------------- */

/* What was begun when another one could not be: nobody waits for it. */
static void abandon(MPI_Request requests[], int count)
{
    for (int i = 0; i < count; i++)
        MPI_Request_free(&requests[i]);
}

/* All receives first, so that what comes finds its place. If one fails, none is left. */
static int begin(const struct weft_mpi_exchange *exchange, int first, int end,
                 MPI_Request requests[], int *begun)
{
    *begun = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = first; i < end; i++) {
            const struct weft_mpi_exchange_step step = exchange->step(exchange, i);
            const struct weft_mpi_args args = pass == 0
                                                  ? message(exchange, false, step.in, step.from)
                                                  : message(exchange, true, step.out, step.to);
            if (is_empty(&args))
                continue;
            int result = pass == 0 ? weft_mpi_ireceive_any(&args, &requests[*begun])
                                   : weft_mpi_isend_any(&args, &requests[*begun]);
            if (result != MPI_SUCCESS) {
                abandon(requests, *begun);
                return result;
            }
            ++*begun;
        }
    return MPI_SUCCESS;
}

/* All of it at once: a process that goes on to wait inside MPI, where nobody begins the rest, must
 * not keep others waiting. */
static int begin_all(const struct weft_mpi_exchange *exchange, int first, int end,
                     MPI_Request *request)
{
    int begun = 0;
    MPI_Request *requests = malloc((2 * (size_t)(end - first) + 1) * sizeof *requests);
    if (!requests)
        return MPI_ERR_NO_MEM;
    int result = begin(exchange, first, end, requests, &begun);
    if (result == MPI_SUCCESS) {
        result = weft_mpi_operation_begin_many(exchange->program, requests, begun, request);
        if (result == MPI_SUCCESS)
            return result;
        abandon(requests, begun);
    }
    free(requests);
    return result;
}

/* ---- Waiting ------------------------------------------------------------------------------- */

static int first_error(int result, const MPI_Status statuses[], int count)
{
    for (int i = 0; result == MPI_ERR_IN_STATUS && i < count; i++)
        if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            return statuses[i].MPI_ERROR;
    return result;
}

static int run_batch(const struct weft_mpi_exchange *exchange, int first, int end)
{
    MPI_Request requests[2 * WEFT_MPI_EXCHANGE_BATCH];
    MPI_Status statuses[2 * WEFT_MPI_EXCHANGE_BATCH];
    int begun;
    int result = begin(exchange, first, end, requests, &begun);
    if (result != MPI_SUCCESS)
        return result;
    result = weft_mpi_wait_all(begun, requests, statuses);
    return first_error(result, statuses, begun);
}

static int run_all(const struct weft_mpi_exchange *exchange, int first, int end)
{
    int result = MPI_SUCCESS;
    for (int i = first; i < end && result == MPI_SUCCESS; i += WEFT_MPI_EXCHANGE_BATCH)
        result = run_batch(exchange, i,
                           i + WEFT_MPI_EXCHANGE_BATCH < end ? i + WEFT_MPI_EXCHANGE_BATCH : end);
    return result;
}

int weft_mpi_exchange_run(const struct weft_mpi_exchange *exchange, int first, int end,
                          MPI_Request *request)
{
    int result =
        request ? begin_all(exchange, first, end, request) : run_all(exchange, first, end);
    return weft_mpi_raise(exchange->program, result);
}

/* ---- To itself ----------------------------------------------------------------------------- */

/* On success it must be closed. */
static bool open_known(const struct weft_mpi_args *args, struct weft_mpi_data *data)
{
    if (weft_mpi_data_open(args->buffer, args->count, args->type, data) != WEFT_MPI_FOUND)
        return false;
    if (!data->is_device && weft_mpi_type_understand(data->type) && data->type->is_receivable)
        return true;
    weft_mpi_data_close(data);
    return false;
}

static bool copy_between(const struct weft_mpi_args *from, const struct weft_mpi_args *to)
{
    struct weft_mpi_data out, in;
    if (!open_known(from, &out))
        return false;
    bool is_copied = open_known(to, &in);
    if (is_copied) {
        is_copied =
            in.bytes == out.bytes && weft_copy(in.type->type, in.count, in.buffer, out.type->type,
                                               out.count, out.buffer, 0, in.bytes) == WEFT_OK;
        weft_mpi_data_close(&in);
    }
    weft_mpi_data_close(&out);
    return is_copied;
}

static int send_to_itself(const struct weft_mpi_args *from, const struct weft_mpi_args *to)
{
    if (from->count > INT_MAX || to->count > INT_MAX)
        return mpi.Sendrecv_c(from->buffer, from->count, from->type, from->peer, from->tag,
                              to->buffer, to->count, to->type, to->peer, to->tag, to->comm,
                              MPI_STATUS_IGNORE);
    return mpi.Sendrecv(from->buffer, (int)from->count, from->type, from->peer, from->tag,
                        to->buffer, (int)to->count, to->type, to->peer, to->tag, to->comm,
                        MPI_STATUS_IGNORE);
}

/* MPI does what we cannot, and says what is wrong with it. */
int weft_mpi_exchange_own(const struct weft_mpi_exchange *exchange, int index)
{
    const struct weft_mpi_args from = message(exchange, true, index, exchange->rank);
    const struct weft_mpi_args to = message(exchange, false, index, exchange->rank);
    if (is_empty(&from) && is_empty(&to))
        return MPI_SUCCESS;
    if (from.count > 0 && to.count > 0 && copy_between(&from, &to))
        return MPI_SUCCESS;
    return weft_mpi_raise(exchange->program, send_to_itself(&from, &to));
}
