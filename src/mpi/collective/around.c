/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges with the neighbours in a grid or a graph. */
#include "mpi/collective/around.h"

#include "mpi/collective/define.h"
#include "mpi/collective/shadow.h"
#include "mpi/message/complete.h"

enum { DIMENSIONS = 8, NEIGHBOURS = WEFT_MPI_MOST_NEIGHBOURS };

static bool is_any_twice(const int peers[], int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (peers[i] == peers[j])
                return true;
    return false;
}

/* ---- Grids --------------------------------------------------------------------------------- */

/* Where a ring has only two processes, a peer is met twice, and MPI libraries differ in which of
 * two messages is which. All processes find the same. False if MPI is to do it. */
static bool look_around_in_grid(struct weft_mpi_exchange *exchange)
{
    struct weft_mpi_surroundings *around = &exchange->around;
    MPI_Comm comm = exchange->program;
    int dimensions = 0;
    int sizes[DIMENSIONS], is_ring[DIMENSIONS], own[DIMENSIONS];
    if (!WEFT_MPI_HAS(Cartdim_get) || !WEFT_MPI_HAS(Cart_get) || !WEFT_MPI_HAS(Cart_shift))
        return false;
    mpi.Cartdim_get(comm, &dimensions);
    if (dimensions == 0 || dimensions > DIMENSIONS)
        return false;
    mpi.Cart_get(comm, dimensions, sizes, is_ring, own);
    for (int i = 0; i < dimensions; i++) {
        if (is_ring[i] && sizes[i] < 3)
            return false;
        mpi.Cart_shift(comm, i, 1, &around->sources[2 * i], &around->sources[2 * i + 1]);
        around->targets[2 * i] = around->sources[2 * i];
        around->targets[2 * i + 1] = around->sources[2 * i + 1];
    }
    exchange->sources = exchange->targets = 2 * dimensions;
    return true;
}

/* ---- Graphs -------------------------------------------------------------------------------- */

/* False if there are too many. What this process finds says nothing of the others. */
static bool look_around_in_graph(struct weft_mpi_exchange *exchange)
{
    int is_weighted, weights[2][NEIGHBOURS];
    if (!WEFT_MPI_HAS(Dist_graph_neighbors_count) || !WEFT_MPI_HAS(Dist_graph_neighbors))
        return false;
    mpi.Dist_graph_neighbors_count(exchange->program, &exchange->sources, &exchange->targets,
                                   &is_weighted);
    if (exchange->sources > NEIGHBOURS || exchange->targets > NEIGHBOURS)
        return false;
    mpi.Dist_graph_neighbors(exchange->program, exchange->sources, exchange->around.sources,
                             weights[0], exchange->targets, exchange->around.targets, weights[1]);
    return true;
}

static int topology_of(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED;
    if (comm != MPI_COMM_NULL && WEFT_MPI_HAS(Topo_test))
        mpi.Topo_test(comm, &kind);
    return kind;
}

bool weft_mpi_around_is_simple(MPI_Comm comm)
{
    struct weft_mpi_exchange exchange = {.program = comm};
    return topology_of(comm) == MPI_DIST_GRAPH && look_around_in_graph(&exchange) &&
           !is_any_twice(exchange.around.sources, exchange.sources) &&
           !is_any_twice(exchange.around.targets, exchange.targets);
}

/* ---- Exchanges ----------------------------------------------------------------------------- */

static struct weft_mpi_exchange_step step_to_neighbour(const struct weft_mpi_exchange *exchange,
                                                       int number)
{
    const struct weft_mpi_surroundings *around = &exchange->around;
    bool is_sent = number < exchange->targets, is_received = number < exchange->sources;
    return (struct weft_mpi_exchange_step){.to = is_sent ? around->targets[number] : MPI_PROC_NULL,
                                           .out = is_sent ? number : WEFT_MPI_NO_MESSAGE,
                                           .from = is_received ? around->sources[number]
                                                               : MPI_PROC_NULL,
                                           .in = is_received ? number : WEFT_MPI_NO_MESSAGE};
}

/* In a graph the order of a process's neighbours is its own affair, so nobody may wait for some of
 * them before all have been begun. */
static int run(const struct weft_mpi_exchange *exchange, MPI_Request *request)
{
    MPI_Request own;
    int steps = exchange->sources > exchange->targets ? exchange->sources : exchange->targets;
    if (!request && steps <= WEFT_MPI_EXCHANGE_BATCH)
        return weft_mpi_exchange_run(exchange, 0, steps, NULL);
    int result = weft_mpi_exchange_run(exchange, 0, steps, request ? request : &own);
    return request || result != MPI_SUCCESS ? result : weft_mpi_wait(&own, MPI_STATUS_IGNORE);
}

static bool look_around(struct weft_mpi_exchange *exchange)
{
    int kind = topology_of(exchange->program);
    return kind == MPI_CART ? look_around_in_grid(exchange)
                            : kind == MPI_DIST_GRAPH && look_around_in_graph(exchange);
}

/* Whether we may do it is the same for all processes, so nobody looks at its own neighbours in a
 * graph before all have voted. */
static bool prepare(struct weft_mpi_exchange *exchange, bool may_wait)
{
    MPI_Comm comm = exchange->program;
    int kind = topology_of(comm);
    if (kind != MPI_DIST_GRAPH && (kind != MPI_CART || !look_around_in_grid(exchange)))
        return false;
    exchange->comm = may_wait ? weft_mpi_shadow(comm) : weft_mpi_shadow_at_once(comm);
    if (exchange->comm == MPI_COMM_NULL ||
        (kind != MPI_CART && !(weft_mpi_shadow_is_simple(comm) && look_around_in_graph(exchange))))
        return false;
    exchange->tag = WEFT_MPI_EXCHANGE_TAG;
    exchange->step = step_to_neighbour;
    return weft_mpi_exchange_are_valid(exchange);
}

const struct weft_mpi_partners weft_mpi_around = {look_around, prepare, run};

WEFT_MPI_DEFINE_EXCHANGES(Neighbor_alltoallw, Ineighbor_alltoallw, OUT_FAR, IN_FAR,
                          weft_mpi_around)
