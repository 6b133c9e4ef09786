/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * uniform [SEED [TURNS [SPREADS]]]: MPI_Alltoall and MPI_Alltoallv of datatypes and those of
 * neighbours, in all their forms, often enough that it is tried who does them faster, on several
 * communicators in turns. Processes differ in whether their data lie apart, and from turn to turn
 * in how they do, so each knows less than all. With SPREADS 1 nothing lies apart.
 */
#include "spread.h"

/* ---- Exchanges ----------------------------------------------------------------------------- */

/* With a length for each pair, or the same for all. */
static void exchange(MPI_Comm comm, int is_varied, const char *what)
{
    struct side out, in;
    MPI_Request request = MPI_REQUEST_NULL;
    int world[MOST], length = 200 << mix(4, 0, 0) % 6;
    out.self = in.self = rank;
    out.peers = in.peers = find_peers(comm, world);
    for (int i = 0; i < out.peers; i++) {
        out.lengths[i] = in.lengths[i] = length;
        if (is_varied) {
            out.lengths[i] = (int)(mix(5, (uint64_t)rank, (uint64_t)world[i]) % 5000);
            in.lengths[i] = (int)(mix(5, (uint64_t)world[i], (uint64_t)rank) % 5000);
        }
    }
    open_side(&out, 1);
    open_side(&in, 0);
    write_numbers(&out, out.all, 1, world);
    if (is_varied)
        MAKE(drawn_form(), MPI_Alltoallv, MPI_Ialltoallv,
             (out.all, out.lengths, out.places, out.type, in.all, in.lengths, in.places, in.type),
             (out.all, out.large_lengths, out.far, out.type, in.all, in.large_lengths, in.far,
              in.type),
             (comm))
    else
        MAKE(drawn_form(), MPI_Alltoall, MPI_Ialltoall,
             (out.all, length, out.type, in.all, length, in.type),
             (out.all, length, out.type, in.all, length, in.type), (comm))
    end(&request, &out, &in, comm);
    compare(&in, world, what);
    close_side(&out);
    close_side(&in);
}

static void exchange_in_place(void)
{
    int size, all[MOST][8];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < 8; j++)
            all[i][j] = 1000 * rank + 10 * i + j;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 8, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        judge(all[i][7] == 1000 * i + 10 * rank + 7, "in place");
}

/* ---- Neighbours ---------------------------------------------------------------------------- */

/* What all neighbours get has no receiver of its own. */
enum { EVERYBODY = 63 };

/* Each process is a neighbour of all others. */
static MPI_Comm make_graph(void)
{
    MPI_Comm graph;
    int size, others[MOST], count = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++)
        if (i != rank)
            others[count++] = i;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, others, MPI_UNWEIGHTED, count, others,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    return graph;
}

static int find_neighbours(MPI_Comm graph, int world[])
{
    int size, count = 0, weights[MOST], targets[MOST];
    MPI_Comm_size(graph, &size);
    count = size - 1;
    MPI_Dist_graph_neighbors(graph, count, world, weights, count, targets, weights);
    return count;
}

struct around {
    MPI_Comm comm;
    int is_varied, is_gathered, length;
    int world[MOST];
    struct side out, in;
};

static void open_around(struct around *of, MPI_Comm graph, int is_gathered)
{
    struct side *out = &of->out, *in = &of->in;
    *of = (struct around){.comm = graph,
                          .is_varied = (int)(mix(13, 0, 0) % 2),
                          .is_gathered = is_gathered,
                          .length = 200 << mix(4, 0, 0) % 6};
    int own = of->is_varied ? (int)(mix(5, (uint64_t)rank, 0) % 5000) : of->length;
    in->peers = find_neighbours(graph, of->world);
    in->self = is_gathered ? EVERYBODY : rank;
    out->self = rank;
    out->peers = is_gathered ? 1 : in->peers;
    for (int i = 0; i < in->peers; i++) {
        uint64_t other = (uint64_t)of->world[i];
        in->lengths[i] = of->is_varied ? (int)(mix(5, other, 0) % 5000) : of->length;
        out->lengths[i] = own;
    }
    open_side(out, 1);
    open_side(in, 0);
    int everybody = EVERYBODY;
    write_numbers(out, out->all, 1, is_gathered ? &everybody : of->world);
}

static void close_around(struct around *of, const char *what)
{
    compare(&of->in, of->world, what);
    close_side(&of->out);
    close_side(&of->in);
}

#define ONE(side) (side).all, (side).lengths[0], (side).type
#define MANY(side) (side).all, (side).lengths, (side).places, (side).type
#define LARGE_MANY(side) (side).all, (side).large_lengths, (side).far, (side).type
#define COMMON(side) (side).all, of.length, (side).type

static void exchange_around(MPI_Comm graph, int is_gathered, const char *what)
{
    struct around of;
    MPI_Request request = MPI_REQUEST_NULL;
    open_around(&of, graph, is_gathered);
    if (is_gathered && of.is_varied)
        MAKE(drawn_form(), MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
             (ONE(of.out), MANY(of.in)), (ONE(of.out), LARGE_MANY(of.in)), (graph))
    else if (is_gathered)
        MAKE(drawn_form(), MPI_Neighbor_allgather, MPI_Ineighbor_allgather,
             (ONE(of.out), COMMON(of.in)), (ONE(of.out), COMMON(of.in)), (graph))
    else if (of.is_varied)
        MAKE(drawn_form(), MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv,
             (MANY(of.out), MANY(of.in)), (LARGE_MANY(of.out), LARGE_MANY(of.in)), (graph))
    else
        MAKE(drawn_form(), MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall,
             (COMMON(of.out), COMMON(of.in)), (COMMON(of.out), COMMON(of.in)), (graph))
    end(&request, &of.out, &of.in, graph);
    close_around(&of, what);
}

/* ---- Persistent requests ------------------------------------------------------------------- */

#if MPI_VERSION >= 4

enum { AT_ONCE = 3, STARTS = 3 };

static void make_persistent(struct around *around, int number, MPI_Request *request)
{
    struct around of = *around;
    int is_large = number % 2;
#define INIT(name, small, large)                                                                  \
    if (is_large)                                                                                 \
        name##_init_c(BARE large, of.comm, MPI_INFO_NULL, request);                               \
    else                                                                                          \
        name##_init(BARE small, of.comm, MPI_INFO_NULL, request);
    if (of.is_gathered && of.is_varied)
        INIT(MPI_Neighbor_allgatherv, (ONE(of.out), MANY(of.in)), (ONE(of.out), LARGE_MANY(of.in)))
    else if (of.is_gathered)
        INIT(MPI_Neighbor_allgather, (ONE(of.out), COMMON(of.in)), (ONE(of.out), COMMON(of.in)))
    else if (of.is_varied)
        INIT(MPI_Neighbor_alltoallv, (MANY(of.out), MANY(of.in)),
             (LARGE_MANY(of.out), LARGE_MANY(of.in)))
    else
        INIT(MPI_Neighbor_alltoall, (COMMON(of.out), COMMON(of.in)),
             (COMMON(of.out), COMMON(of.in)))
#undef INIT
}

static void clear(struct side *in)
{
    for (int i = 0; i < in->room; i++)
        in->all[i] = UNTOUCHED;
}

/* Processes start them in orders of their own, one by one or all at once, and wait for them in
 * others. The types are freed before. */
static void exchange_persistently(MPI_Comm graph)
{
    struct around of[AT_ONCE];
    MPI_Request requests[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        turn += 1000;
        open_around(&of[i], graph, (int)(mix(14, 0, 0) % 2));
        make_persistent(&of[i], i, &requests[i]);
        MPI_Type_free(&of[i].out.type);
        MPI_Type_free(&of[i].in.type);
    }
    turn -= 1000 * AT_ONCE;
    for (int start = 0; start < STARTS; start++) {
        int first = (int)(mix(15, (uint64_t)rank, (uint64_t)start) % AT_ONCE);
        for (int i = 0; i < AT_ONCE; i++)
            clear(&of[i].in);
        if (first == 0)
            MPI_Startall(AT_ONCE, requests);
        for (int i = 0; first && i < AT_ONCE; i++)
            MPI_Start(&requests[(first + i) % AT_ONCE]);
        for (int i = 0; i < AT_ONCE; i++)
            end_request(&requests[(i + start) % AT_ONCE],
                        (int)(mix(16, (uint64_t)rank, (uint64_t)i) % ENDS));
        for (int i = 0; i < AT_ONCE; i++) {
            turn += 1000;
            judge(requests[i] != MPI_REQUEST_NULL, "a persistent request stays");
            compare(&of[i].in, of[i].world, "neighbours, persistently");
        }
        turn -= 1000 * AT_ONCE;
    }
    for (int i = 0; i < AT_ONCE; i++) {
        MPI_Request_free(&requests[i]);
        close_side(&of[i].out);
        close_side(&of[i].in);
    }
}

#else

static void exchange_persistently(MPI_Comm graph)
{
    (void)graph;
}

#endif

int main(int argc, char **argv)
{
    corner_open(&argc, &argv);
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned long long turns = argc > 2 ? strtoull(argv[2], NULL, 10) : 400;
    spreads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : SPREADS;
    MPI_Comm half, copy, graph = make_graph();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (turn = 0; turn < turns; turn++) {
        exchange(MPI_COMM_WORLD, 0, "the same for all");
        exchange(copy, 1, "different lengths");
        exchange(half, (int)(turn % 2), "half of the processes");
        exchange_around(graph, 0, "neighbours");
        exchange_around(graph, 1, "of neighbours, the same for all");
        if (turn % 16 == 0)
            exchange_persistently(graph);
        if (turn % 8 == 0)
            exchange_in_place();
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&graph);
    return corner_close();
}
