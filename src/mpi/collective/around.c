/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges with the neighbours in a grid, each with a datatype of its own. */
#include "mpi/collective/define.h"
#include "mpi/collective/shadow.h"

enum { DIMENSIONS = 8 };

static struct weft_mpi_exchange_step step_to_neighbour(const struct weft_mpi_exchange *exchange,
                                                       int number)
{
    int peer = exchange->neighbours[number];
    return (struct weft_mpi_exchange_step){.to = peer, .out = number, .from = peer, .in = number};
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

/* False if MPI is to do it. */
static bool exchange_around(struct weft_mpi_exchange *exchange, MPI_Request *request, int *result)
{
    int neighbours[2 * DIMENSIONS];
    MPI_Comm comm = exchange->program;
    exchange->size = find_neighbours(comm, neighbours);
    if (exchange->size == 0)
        return false;
    exchange->comm = request ? weft_mpi_shadow_at_once(comm) : weft_mpi_shadow(comm);
    if (exchange->comm == MPI_COMM_NULL ||
        !weft_mpi_exchange_is_valid(&exchange->out, exchange->size) ||
        !weft_mpi_exchange_is_valid(&exchange->in, exchange->size))
        return false;
    exchange->neighbours = neighbours;
    exchange->step = step_to_neighbour;
    *result = weft_mpi_exchange_run(exchange, 0, exchange->size, request);
    return true;
}

WEFT_MPI_DEFINE_EXCHANGES(Neighbor_alltoallw, Ineighbor_alltoallw, OUT_FAR, IN_FAR,
                          exchange_around);
