/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <weft_collective.h>

#include "mpi/collective/offload.h"
#include "mpi/message/operation.h"
#include "transfer/net.h"

#define TAG 0

static weft_engine *engine;
static unsigned long long begun;

/* ---- The engine ---------------------------------------------------------------------------- */

/* Nobody sends to a process that has none: all have theirs when all have answered. */
bool weft_mpi_schedule_open(void)
{
    int own = weft_engine_open(weft_mpi.net->ni, (uint32_t)weft_mpi.rank, (uint32_t)weft_mpi.size,
                               NULL, &engine) == WEFT_OK;
    int all = 0;
    mpi.Allreduce(&own, &all, 1, MPI_INT, MPI_LAND, weft_mpi.comm);
    if (!all)
        weft_mpi_schedule_close();
    return all;
}

void weft_mpi_schedule_close(void)
{
    weft_engine_close(engine);
    engine = NULL;
}

unsigned long long weft_mpi_schedule_count(void)
{
    return begun;
}

/* ---- Data ---------------------------------------------------------------------------------- */

/* Data of a call as one piece of memory: where they lie, or a copy. */
struct one_piece {
    struct weft_mpi_data data;
    void *copy, *base;
};

/* What is of no bytes lies nowhere. */
static bool open_piece(struct one_piece *piece, const struct weft_mpi_named *named, int peers,
                       bool is_copied)
{
    struct weft_mpi_data *data = &piece->data;
    int64_t count = (int64_t)named->count * peers;
    if (count == 0)
        return true;
    if (weft_mpi_data_open(named->buffer, count, named->type, data) != WEFT_MPI_FOUND)
        return false;
    if (!is_copied && !data->is_device && weft_mpi_type_is_known(data->type) &&
        weft_mpi_type_is_one_piece(data->type, count))
        piece->base = (char *)data->buffer + data->type->first;
    else
        piece->base = piece->copy = malloc(data->bytes);
    return piece->base;
}

static void close_piece(struct one_piece *piece)
{
    if (piece->data.type)
        weft_mpi_data_close(&piece->data);
    free(piece->copy);
}

static struct weft_schedule_memory memory_of(const struct one_piece *piece)
{
    return (struct weft_schedule_memory){.base = piece->base, .length = piece->data.bytes};
}

/* ---- A call -------------------------------------------------------------------------------- */

struct offloaded {
    struct weft_mpi_task task;
    weft_schedule *schedule;
    struct one_piece out, in;
    bool is_written;    /* `in` is */
    bool *is_under_way; /* or NULL: it was */
};

/* When the schedule is over, another call may have its number, also before the program asks for
 * this one: it may wait for none of thousands first. Then its agreement may go, too. */
static void give_back(struct offloaded *call)
{
    weft_schedule_free(call->schedule);
    call->schedule = NULL;
    if (call->is_under_way)
        *call->is_under_way = false;
    call->is_under_way = NULL;
}

static bool is_over(struct weft_mpi_task *task, int *class)
{
    struct offloaded *call = (struct offloaded *)task;
    int error = weft_schedule_test(call->schedule);
    if (error == WEFT_ERR_TIMEOUT)
        return false;
    *class = weft_mpi_class_of(error);
    if (!error && call->is_written && call->in.copy)
        *class = weft_mpi_data_unpack(&call->in.data, call->in.copy, call->in.data.bytes);
    give_back(call);
    return true;
}

static void end(struct weft_mpi_task *task)
{
    struct offloaded *call = (struct offloaded *)task;
    give_back(call);
    close_piece(&call->out);
    close_piece(&call->in);
    free(call);
}

/* What this process sends, as far as it is a copy. */
static int fetch(struct offloaded *call)
{
    struct one_piece *read = call->out.base ? &call->out : &call->in;
    bool is_read = call->out.base || !call->is_written;
    return is_read && read->copy ? weft_mpi_data_pack(&read->data, read->copy) : MPI_SUCCESS;
}

static bool writes(const struct weft_mpi_offload *offload)
{
    switch (offload->collective) {
    case WEFT_MPI_IBARRIER:
        return false;
    case WEFT_MPI_IBCAST:
        return weft_mpi.rank != offload->root;
    case WEFT_MPI_IREDUCE:
        return weft_mpi.rank == offload->root;
    case WEFT_MPI_IEXSCAN:
        return weft_mpi.rank > 0;
    default:
        return true;
    }
}

/* As MPI's calls return. */
static int open_data(struct offloaded *call, const struct weft_mpi_offload *offload)
{
    int peers = offload->collective == WEFT_MPI_IALLTOALL ? weft_mpi.size : 1;
    bool has_out = offload->collective > WEFT_MPI_IBCAST;
    call->is_written = writes(offload);
    bool has_in = call->is_written || offload->collective == WEFT_MPI_IBCAST;
    /* The same memory for both is an error, but some libraries take it as in place. */
    bool is_out_copied =
        offload->is_in_place || (call->is_written && offload->out.buffer == offload->in.buffer);
    if ((has_in && !open_piece(&call->in, &offload->in, peers, false)) ||
        (has_out && !open_piece(&call->out, &offload->out, peers, is_out_copied)))
        return MPI_ERR_NO_MEM;
    return fetch(call);
}

static int add_parts(weft_schedule *schedule, const struct weft_mpi_offload *offload,
                     const struct weft_schedule_memory *from,
                     const struct weft_schedule_memory *to)
{
    size_t item = weft_schedule_item_size(offload->datatype);
    size_t *lengths = malloc((size_t)weft_mpi.size * sizeof *lengths);
    if (!lengths)
        return WEFT_ERR_MEMORY;
    for (int i = 0; i < weft_mpi.size; i++)
        lengths[i] = (size_t)weft_mpi_side_count(&offload->parts, i) * item;
    int error = weft_collective_reduce_scatterv(schedule, offload->operation, offload->datatype,
                                                from, lengths, to, TAG);
    free(lengths);
    return error;
}

static int add_reduction(weft_schedule *schedule, const struct weft_mpi_offload *offload,
                         const struct weft_schedule_memory *from,
                         const struct weft_schedule_memory *to)
{
    ptl_op_t operation = offload->operation;
    ptl_datatype_t datatype = offload->datatype;
    switch (offload->collective) {
    case WEFT_MPI_IREDUCE:
        return weft_collective_reduce(schedule, WEFT_COLLECTIVE_AUTO, operation, datatype, from,
                                      to, (uint32_t)offload->root, TAG);
    case WEFT_MPI_IALLREDUCE:
        return weft_collective_allreduce(schedule, WEFT_COLLECTIVE_AUTO, operation, datatype, from,
                                         to, TAG);
    case WEFT_MPI_ISCAN:
        return weft_collective_scan(schedule, operation, datatype, from, to, TAG);
    case WEFT_MPI_IEXSCAN:
        return weft_collective_exscan(schedule, operation, datatype, from, to, TAG);
    default:
        return add_parts(schedule, offload, from, to);
    }
}

static int add(const struct offloaded *call, const struct weft_mpi_offload *offload)
{
    const struct weft_schedule_memory from = memory_of(&call->out), to = memory_of(&call->in);
    switch (offload->collective) {
    case WEFT_MPI_IBARRIER:
        return weft_collective_barrier(call->schedule, TAG);
    case WEFT_MPI_IBCAST:
        return weft_collective_bcast(call->schedule, WEFT_COLLECTIVE_AUTO, &to,
                                     (uint32_t)offload->root, TAG);
    case WEFT_MPI_IALLTOALL:
        return weft_collective_alltoall(call->schedule, WEFT_COLLECTIVE_AUTO, &from, &to, TAG);
    default:
        return add_reduction(call->schedule, offload, &from, &to);
    }
}

/* What runs once need not end before its messages were taken, and must not: to free it would wait
 * for that, and keep MPI waiting. An operation that waits for any of several makes it end so. */
static int end_when_taken(weft_schedule *schedule)
{
    int last = weft_schedule_nop(schedule);
    return last < 0 ? last : weft_schedule_any(schedule, last);
}

static int build(struct offloaded *call, const struct weft_mpi_offload *offload, uint16_t number)
{
    int error = weft_schedule_create(engine, number, &call->schedule);
    if (!error)
        error = add(call, offload);
    return error ? error : end_when_taken(call->schedule);
}

static int prepare(struct offloaded *call, const struct weft_mpi_offload *offload, uint16_t number)
{
    int result = open_data(call, offload);
    return result == MPI_SUCCESS ? weft_mpi_class_of(build(call, offload, number)) : result;
}

/* An error is heard of when it is waited for. */
static void run(weft_schedule *schedule)
{
    if (weft_schedule_post(schedule) == WEFT_OK)
        weft_schedule_start(schedule);
}

int weft_mpi_schedule_begin(const struct weft_mpi_offload *offload, uint16_t number,
                            bool *is_under_way, MPI_Request *request)
{
    struct offloaded *call = calloc(1, sizeof *call);
    if (!call)
        return weft_mpi_raise_no_memory(offload->comm);
    *call = (struct offloaded){.task = {is_over, end}, .is_under_way = is_under_way};
    *is_under_way = true;
    int result = prepare(call, offload, number);
    if (result == MPI_SUCCESS)
        result = weft_mpi_operation_begin_task(offload->comm, &call->task, request);
    if (result != MPI_SUCCESS) {
        end(&call->task);
        return weft_mpi_raise(offload->comm, result);
    }
    begun++;
    run(call->schedule);
    return MPI_SUCCESS;
}
