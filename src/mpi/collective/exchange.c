/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges in which each peer has a datatype of its own. The MPI libraries send one message for
 * each peer, by no cleverer algorithm than ours here, so each goes the way that is best for its
 * own type and size. Whether we do it is the same for all processes of a communicator, whatever
 * the arguments of each are.
 */
#include "mpi/collective/shadow.h"
#include "mpi/message/complete.h"
#include "mpi/message/receive.h"
#include "mpi/message/send.h"
#include "mpi/report/native.h"
#include "mpi/report/slice.h"

#define TAG 0x57

/* Messages of one batch, each way. */
enum { BATCH = 16 };

/* What is sent, or received, by index of the peer in the call's arguments. */
struct exchange_side {
    char *buffer;
    const int *counts;
    const int *displacements;
    const MPI_Aint *far; /* instead of those */
    const MPI_Datatype *types;
};

/* A message of each side: the peer and its index. */
struct exchange_step {
    int to, out, from, in;
};

struct exchange {
    struct exchange_side out, in;
    MPI_Comm comm;
    struct exchange_step (*step)(const struct exchange *exchange, int number);
    int rank, size;
    const int *neighbours;
};

/* ---- Messages ------------------------------------------------------------------------------ */

static struct weft_mpi_args message(const struct exchange *exchange, bool is_send, int index,
                                    int peer)
{
    const struct exchange_side *side = is_send ? &exchange->out : &exchange->in;
    ptrdiff_t place = side->far ? side->far[index] : side->displacements[index];
    return (struct weft_mpi_args){.is_send = is_send,
                                  .buffer = side->buffer + place,
                                  .count = side->counts[index],
                                  .type = side->types[index],
                                  .peer = peer,
                                  .tag = TAG,
                                  .comm = exchange->comm};
}

/* Both ends of a message see alike whether it has any bytes. */
static bool is_empty(const struct weft_mpi_args *args)
{
    return args->peer == MPI_PROC_NULL || args->count == 0 || weft_mpi_type_is_empty(args->type);
}

/* What was begun when another one could not be: nobody waits for it. */
static void abandon(MPI_Request requests[], int count)
{
    for (int i = 0; i < count; i++)
        MPI_Request_free(&requests[i]);
}

static int first_error(int result, const MPI_Status statuses[], int count)
{
    for (int i = 0; result == MPI_ERR_IN_STATUS && i < count; i++)
        if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            return statuses[i].MPI_ERROR;
    return result;
}

/* All receives first, so that what comes finds its place. */
static int begin(const struct exchange *exchange, int first, int last, MPI_Request requests[],
                 int *begun)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = first; i < last; i++) {
            const struct exchange_step step = exchange->step(exchange, i);
            const struct weft_mpi_args args = pass == 0
                                                  ? message(exchange, false, step.in, step.from)
                                                  : message(exchange, true, step.out, step.to);
            if (is_empty(&args))
                continue;
            int result = pass == 0 ? weft_mpi_ireceive_any(&args, &requests[*begun])
                                   : weft_mpi_isend_any(&args, &requests[*begun]);
            if (result != MPI_SUCCESS)
                return result;
            ++*begun;
        }
    return MPI_SUCCESS;
}

static int run_batch(const struct exchange *exchange, int first, int last)
{
    MPI_Request requests[2 * BATCH];
    MPI_Status statuses[2 * BATCH];
    int begun = 0;
    int result = begin(exchange, first, last, requests, &begun);
    if (result != MPI_SUCCESS) {
        abandon(requests, begun);
        return result;
    }
    result = weft_mpi_wait_all(begun, requests, statuses);
    return first_error(result, statuses, begun);
}

static int run(const struct exchange *exchange, int first, int end)
{
    int result = MPI_SUCCESS;
    for (int i = first; i < end && result == MPI_SUCCESS; i += BATCH)
        result = run_batch(exchange, i, i + BATCH < end ? i + BATCH : end);
    return result;
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

/* MPI does what we cannot, and says what is wrong with it. */
static int copy_own(const struct exchange *exchange)
{
    const struct weft_mpi_args from = message(exchange, true, exchange->rank, exchange->rank);
    const struct weft_mpi_args to = message(exchange, false, exchange->rank, exchange->rank);
    if (is_empty(&from) && is_empty(&to))
        return MPI_SUCCESS;
    if (from.count > 0 && to.count > 0 && copy_between(&from, &to))
        return MPI_SUCCESS;
    return mpi.Sendrecv(from.buffer, (int)from.count, from.type, from.peer, TAG, to.buffer,
                        (int)to.count, to.type, to.peer, TAG, exchange->comm, MPI_STATUS_IGNORE);
}

/* ---- With all ------------------------------------------------------------------------------ */

/* In each step every process sends one message and receives one. */
static struct exchange_step step_around(const struct exchange *exchange, int number)
{
    int to = (exchange->rank + number) % exchange->size;
    int from = (exchange->rank - number + exchange->size) % exchange->size;
    return (struct exchange_step){.to = to, .out = to, .from = from, .in = from};
}

/* Arguments that MPI refuses it is to refuse itself. */
static bool is_valid(const struct exchange_side *side, int peers)
{
    bool has_all = side->counts && side->types && (side->displacements || side->far);
    if (side->buffer == MPI_IN_PLACE || (!has_all && peers > 0))
        return false;
    for (int i = 0; i < peers; i++)
        if (side->counts[i] < 0 || side->types[i] == MPI_DATATYPE_NULL)
            return false;
    return true;
}

/* False if MPI is to do it. */
static bool exchange_all(struct exchange *exchange, MPI_Comm comm, int *result)
{
    exchange->comm = weft_mpi_shadow(comm);
    if (exchange->comm == MPI_COMM_NULL)
        return false;
    mpi.Comm_rank(comm, &exchange->rank);
    mpi.Comm_size(comm, &exchange->size);
    if (!is_valid(&exchange->out, exchange->size) || !is_valid(&exchange->in, exchange->size))
        return false;
    exchange->step = step_around;
    *result = copy_own(exchange);
    if (*result == MPI_SUCCESS)
        *result = run(exchange, 1, exchange->size);
    *result = weft_mpi_raise(comm, *result);
    return true;
}

/* ---- With neighbours ----------------------------------------------------------------------- */

enum { DIMENSIONS = 8 };

static struct exchange_step step_to_neighbour(const struct exchange *exchange, int number)
{
    int peer = exchange->neighbours[number];
    return (struct exchange_step){.to = peer, .out = number, .from = peer, .in = number};
}

/* The neighbours of a process in a grid, none of them twice: where a ring has only two processes,
 * MPI libraries differ in which of two messages is which. All processes find the same. 0 if MPI is
 * to do it. */
static int find_neighbours(MPI_Comm comm, int neighbours[])
{
    int kind = MPI_UNDEFINED, dimensions = 0;
    int sizes[DIMENSIONS], is_ring[DIMENSIONS], own[DIMENSIONS];
    if (comm != MPI_COMM_NULL && WEFT_MPI_HAS(Topo_test))
        mpi.Topo_test(comm, &kind);
    if (kind != MPI_CART || !WEFT_MPI_HAS(Cartdim_get) || !WEFT_MPI_HAS(Cart_get) ||
        !WEFT_MPI_HAS(Cart_shift))
        return 0;
    mpi.Cartdim_get(comm, &dimensions);
    if (dimensions > DIMENSIONS)
        return 0;
    mpi.Cart_get(comm, dimensions, sizes, is_ring, own);
    for (int i = 0; i < dimensions; i++) {
        if (is_ring[i] && sizes[i] < 3)
            return 0;
        mpi.Cart_shift(comm, i, 1, &neighbours[2 * i], &neighbours[2 * i + 1]);
    }
    return 2 * dimensions;
}

static bool exchange_around(struct exchange *exchange, MPI_Comm comm, int *result)
{
    int neighbours[2 * DIMENSIONS];
    exchange->size = find_neighbours(comm, neighbours);
    if (exchange->size == 0)
        return false;
    exchange->comm = weft_mpi_shadow(comm);
    if (exchange->comm == MPI_COMM_NULL || !is_valid(&exchange->out, exchange->size) ||
        !is_valid(&exchange->in, exchange->size))
        return false;
    exchange->neighbours = neighbours;
    exchange->step = step_to_neighbour;
    *result = weft_mpi_raise(comm, run(exchange, 0, exchange->size));
    return true;
}

/* ---- The calls ----------------------------------------------------------------------------- */

#define DEFINE_EXCHANGE(name, number, displacement, by_us)                                        \
    int MPI_##name(const void *sendbuf, const int sendcounts[], const number sdispls[],           \
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],         \
                   const number rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)         \
    {                                                                                             \
        struct exchange exchange = {                                                              \
            .out = {.buffer = (char *)sendbuf,                                                    \
                    .counts = sendcounts,                                                         \
                    .displacement = sdispls,                                                      \
                    .types = sendtypes},                                                          \
            .in = {.buffer = recvbuf,                                                             \
                   .counts = recvcounts,                                                          \
                   .displacement = rdispls,                                                       \
                   .types = recvtypes},                                                           \
        };                                                                                        \
        int result;                                                                               \
        uint64_t since = weft_mpi_slice_begin();                                                  \
        if (WEFT_MPI_IS_OURS && by_us(&exchange, comm, &result)) {                                \
            weft_mpi_slice_end(WEFT_MPI_SLICE_##name, since);                                     \
            return result;                                                                        \
        }                                                                                         \
        return weft_mpi_native_##name(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,           \
                                      recvcounts, rdispls, recvtypes, comm);                      \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

DEFINE_EXCHANGE(Alltoallw, int, displacements, exchange_all);
DEFINE_EXCHANGE(Neighbor_alltoallw, MPI_Aint, far, exchange_around);
