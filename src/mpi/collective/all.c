/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges of all processes with all. Where each peer has a datatype of its own, the MPI
 * libraries send one message for each, by no cleverer algorithm than ours here. Whether we do it
 * is the same for all processes of a communicator, whatever the arguments of each are.
 */
#include "mpi/collective/define.h"
#include "mpi/collective/shadow.h"

/* In each step every process sends one message and receives one. */
static struct weft_mpi_exchange_step step_around(const struct weft_mpi_exchange *exchange,
                                                 int number)
{
    int to = (exchange->rank + number) % exchange->size;
    int from = (exchange->rank - number + exchange->size) % exchange->size;
    return (struct weft_mpi_exchange_step){.to = to, .out = to, .from = from, .in = from};
}

bool weft_mpi_exchange_all(struct weft_mpi_exchange *exchange, MPI_Request *request, int *result)
{
    MPI_Comm comm = exchange->program;
    exchange->comm = request ? weft_mpi_shadow_at_once(comm) : weft_mpi_shadow(comm);
    if (exchange->comm == MPI_COMM_NULL)
        return false;
    mpi.Comm_rank(comm, &exchange->rank);
    mpi.Comm_size(comm, &exchange->size);
    if (!weft_mpi_exchange_is_valid(&exchange->out, exchange->size) ||
        !weft_mpi_exchange_is_valid(&exchange->in, exchange->size))
        return false;
    exchange->step = step_around;
    *result = weft_mpi_exchange_own(exchange, exchange->rank);
    if (*result == MPI_SUCCESS)
        *result = weft_mpi_exchange_run(exchange, 1, exchange->size, request);
    return true;
}

WEFT_MPI_DEFINE_EXCHANGES(Alltoallw, Ialltoallw, OUT_TYPED, IN_TYPED, weft_mpi_exchange_all);
