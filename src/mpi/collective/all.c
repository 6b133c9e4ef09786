/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges of all processes with all. Where each peer has a datatype of its own, the MPI
 * libraries send one message for each, by no cleverer algorithm than ours here. Whether we do it
 * is the same for all processes of a communicator, whatever the arguments of each are.
 */
#include "mpi/collective/define.h"
#include "mpi/collective/shadow.h"

static bool look_at_all(struct weft_mpi_exchange *exchange)
{
    mpi.Comm_size(exchange->program, &exchange->size);
    exchange->targets = exchange->sources = exchange->size;
    return true;
}

static bool prepare(struct weft_mpi_exchange *exchange, bool may_wait)
{
    MPI_Comm comm = exchange->program;
    exchange->comm = may_wait ? weft_mpi_shadow(comm) : weft_mpi_shadow_at_once(comm);
    if (exchange->comm == MPI_COMM_NULL)
        return false;
    mpi.Comm_rank(comm, &exchange->rank);
    exchange->tag = WEFT_MPI_EXCHANGE_TAG;
    exchange->step = weft_mpi_exchange_step_around;
    return look_at_all(exchange) && weft_mpi_exchange_are_valid(exchange);
}

static int run(const struct weft_mpi_exchange *exchange, MPI_Request *request)
{
    int result = weft_mpi_exchange_own(exchange, exchange->rank);
    return result == MPI_SUCCESS ? weft_mpi_exchange_run(exchange, 1, exchange->size, request)
                                 : result;
}

const struct weft_mpi_partners weft_mpi_all = {look_at_all, prepare, run};

WEFT_MPI_DEFINE_EXCHANGES(Alltoallw, Ialltoallw, OUT_TYPED, IN_TYPED, weft_mpi_all)
