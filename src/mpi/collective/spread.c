/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that spread or gather data, in messages between the root and each of the others, or
 * between all. Each goes from layout to layout, with one copy at best; and on one host, where this
 * is done, nobody is nearer than others, so that no tree of processes would carry less.
 */
#include "mpi/collective/spread.h"

#include "mpi/collective/exchange.h"
#include "mpi/collective/shadow.h"

/* ---- Who sends to whom --------------------------------------------------------------------- */

/* The root has something for, or from, each of the others, by its rank. */
static struct weft_mpi_exchange_step step_of_root(const struct weft_mpi_exchange *exchange,
                                                  int number)
{
    bool is_root = exchange->rank == exchange->root;
    int peer = is_root ? (exchange->rank + number) % exchange->size : exchange->root;
    int other = is_root ? peer : exchange->rank;
    if (exchange->targets > 0)
        return (struct weft_mpi_exchange_step){peer, other, MPI_PROC_NULL, WEFT_MPI_NO_MESSAGE};
    return (struct weft_mpi_exchange_step){MPI_PROC_NULL, WEFT_MPI_NO_MESSAGE, peer, other};
}

/* All get the same of each, which may lie where the others' is to come. */
static struct weft_mpi_exchange_step step_of_gather(const struct weft_mpi_exchange *exchange,
                                                    int number)
{
    struct weft_mpi_exchange_step step = weft_mpi_exchange_step_around(exchange, number);
    step.out = exchange->rank;
    return step;
}

static void set_root(struct weft_mpi_exchange *exchange, int root, bool root_sends)
{
    bool is_root = exchange->rank == root;
    int peers = is_root ? exchange->size - 1 : 1;
    bool is_sender = is_root == root_sends;
    exchange->root = root;
    exchange->step = step_of_root;
    exchange->targets = is_sender ? peers : 0;
    exchange->sources = is_sender ? 0 : peers;
}

static void set_all(struct weft_mpi_exchange *exchange, bool is_gather)
{
    exchange->step = is_gather ? step_of_gather : weft_mpi_exchange_step_around;
    exchange->targets = exchange->sources = exchange->size - 1;
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* What MPI does not look at may be anything. */
static struct weft_mpi_side side_of(const struct weft_mpi_packed *packed)
{
    if (packed->peers > 0 && packed->side.buffer != MPI_IN_PLACE)
        return packed->side;
    return (struct weft_mpi_side){.buffer = packed->side.buffer, .type = MPI_DATATYPE_NULL};
}

struct weft_mpi_exchange weft_mpi_spread_plan(const struct weft_mpi_packed_call *call)
{
    struct weft_mpi_exchange exchange = {.out = side_of(&call->out),
                                         .in = side_of(&call->in),
                                         .program = call->comm,
                                         .is_judged = true,
                                         .rank = call->rank,
                                         .size = call->size};
    bool is_gather = call->family == WEFT_MPI_GATHER || call->family == WEFT_MPI_GATHER_ALL;
    exchange.out.is_same = is_gather || call->family == WEFT_MPI_BROADCAST;
    exchange.in.is_same = call->family == WEFT_MPI_SCATTER || call->family == WEFT_MPI_BROADCAST;
    if (call->family == WEFT_MPI_GATHER_ALL || call->family == WEFT_MPI_ALL_TO_ALL)
        set_all(&exchange, is_gather);
    else
        set_root(&exchange, call->root, !is_gather);
    if (call->family == WEFT_MPI_GATHER_ALL && call->out.side.buffer == MPI_IN_PLACE)
        exchange.out = exchange.in;
    return exchange;
}

/* Whether this process has something for itself, which is not in its place. */
static bool has_own(const struct weft_mpi_packed_call *call)
{
    bool is_in_place =
        call->out.side.buffer == MPI_IN_PLACE || call->in.side.buffer == MPI_IN_PLACE;
    return call->family != WEFT_MPI_BROADCAST && call->out.peers > 0 && call->in.peers > 0 &&
           !is_in_place;
}

int weft_mpi_spread_run(const struct weft_mpi_packed_call *call,
                        const struct weft_mpi_exchange *exchange, MPI_Request *request)
{
    int result = has_own(call) ? weft_mpi_exchange_own(exchange, call->rank) : MPI_SUCCESS;
    int steps = exchange->targets > 0 ? exchange->targets : exchange->sources;
    return result == MPI_SUCCESS ? weft_mpi_exchange_run(exchange, 1, 1 + steps, request) : result;
}

int weft_mpi_spread(const struct weft_mpi_packed_call *call, MPI_Request *request)
{
    struct weft_mpi_exchange exchange = weft_mpi_spread_plan(call);
    exchange.comm = weft_mpi_shadow(call->comm);
    exchange.tag = WEFT_MPI_EXCHANGE_TAG;
    return weft_mpi_spread_run(call, &exchange, request);
}
