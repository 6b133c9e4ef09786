/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recurrent [SEED [STARTS]]: persistent collectives of datatypes, several at once, started so
 * often that it is tried whether they are faster of packed bytes or in messages of Weft's own.
 * Processes start them in orders of their own, and wait for them in others; what they send changes
 * from start to start. No type is freed before: Open MPI 5.0.7 and MPICH 4.0.2 do not bear that.
 */
#include "spread.h"

/* What is the same for all has no receiver of its own. */
enum { EVERYBODY = 63 };

enum call {
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    CALLS
};
static const char *const names[] = {
    "MPI_Bcast_init",      "MPI_Gather_init",   "MPI_Gatherv_init",
    "MPI_Scatter_init",    "MPI_Scatterv_init", "MPI_Allgather_init",
    "MPI_Allgatherv_init", "MPI_Alltoall_init", "MPI_Alltoallv_init",
};

/* What MPICH 4.0.2, and in part 4.2.1, gets wrong by itself: what a process keeps for itself it
 * gathers when the request is made, and all must start their requests in one order. */
#ifdef OPEN_MPI
enum { BUG_ORDER = 0, FIRST = BCAST };
#else
enum { BUG_ORDER = 1, FIRST = ALLTOALL };
#endif

/* Of a request, with what this process sends and receives: `peers` is 0 where there is nothing. */
struct recurrent {
    enum call call;
    MPI_Comm comm;
    int size, self, root, is_large, is_in_place;
    int world[MOST];
    int to[MOST], from[MOST]; /* whom, by their ranks in the world */
    struct side out, in;
    MPI_Request request;
};

/* ---- Sides --------------------------------------------------------------------------------- */

static int is_varied(enum call call)
{
    return call == GATHERV || call == SCATTERV || call == ALLGATHERV || call == ALLTOALLV;
}

static int is_scatter(enum call call)
{
    return call == SCATTER || call == SCATTERV;
}

static int is_gather(enum call call)
{
    return call == GATHER || call == GATHERV;
}

static int is_gather_all(enum call call)
{
    return call == ALLGATHER || call == ALLGATHERV;
}

static int is_exchange(enum call call)
{
    return call == ALLTOALL || call == ALLTOALLV;
}

/* What a process sends to another, or to all. */
static int length_of(enum call call, int from, int to)
{
    if (!is_varied(call))
        return 200 << mix(6, 0, 0) % 6;
    int of = is_scatter(call) ? to : is_exchange(call) ? 64 * from + to : from;
    return (int)(mix(9, (uint64_t)of, 0) % 5000);
}

static void open_out(struct recurrent *of, int peers)
{
    enum call call = of->call;
    of->out = (struct side){.self = rank, .peers = peers, .type = MPI_DATATYPE_NULL};
    for (int i = 0; i < peers; i++) {
        int is_each = is_scatter(call) || is_exchange(call);
        of->to[i] = is_each ? of->world[i] : is_gather(call) ? of->world[of->root] : EVERYBODY;
        of->out.lengths[i] = length_of(call, rank, of->to[i]);
    }
    if (peers > 0)
        open_side(&of->out, 1);
}

static void open_in(struct recurrent *of, int peers)
{
    enum call call = of->call;
    int is_common = call == BCAST || is_gather_all(call);
    of->in = (struct side){
        .self = is_common ? EVERYBODY : rank, .peers = peers, .type = MPI_DATATYPE_NULL};
    for (int i = 0; i < peers; i++) {
        of->from[i] = call == BCAST || is_scatter(call) ? of->world[of->root] : of->world[i];
        of->in.lengths[i] = length_of(call, of->from[i], of->in.self);
    }
    if (peers > 0)
        open_side(&of->in, 0);
}

static void open_sides(struct recurrent *of)
{
    int is_root = of->self == of->root, size = of->size;
    switch (of->call) {
    case BCAST:
        open_out(of, is_root);
        open_in(of, !is_root);
        return;
    case GATHER:
    case GATHERV:
        open_out(of, 1);
        open_in(of, is_root ? size : 0);
        return;
    case SCATTER:
    case SCATTERV:
        open_out(of, is_root ? size : 0);
        open_in(of, 1);
        return;
    default:
        open_out(of, is_exchange(of->call) ? size : 1);
        open_in(of, size);
    }
}

/* ---- Requests ------------------------------------------------------------------------------ */

#if MPI_VERSION >= 4
#define INIT(name, small, large)                                                                  \
    if (of->is_large)                                                                             \
        name##_init_c(BARE large, comm, MPI_INFO_NULL, &of->request);                             \
    else                                                                                          \
        name##_init(BARE small, comm, MPI_INFO_NULL, &of->request);                               \
    break;
#else
#define INIT(name, small, large)                                                                  \
    name##_init(BARE small, comm, MPI_INFO_NULL, &of->request);                                   \
    break;
#endif

static void make(struct recurrent *of)
{
    struct side *out = &of->out, *in = &of->in, *one = out->peers ? out : in;
    int length = out->lengths[0], common = in->lengths[0], root = of->root;
    const void *sent = of->is_in_place ? MPI_IN_PLACE : out->all;
    MPI_Comm comm = of->comm;
#define INIT_ALIKE(name, ...) INIT(name, (__VA_ARGS__), (__VA_ARGS__))
#define MANY(side) (side)->all, (side)->lengths, (side)->places, (side)->type
#define LARGE_MANY(side) (side)->all, (side)->large_lengths, (side)->far, (side)->type
#define SENT sent, length, out->type
#define GOT in->all, common, in->type
    switch (of->call) {
    case BCAST:
        INIT_ALIKE(MPI_Bcast, one->all, one->lengths[0], one->type, root)
    case GATHER:
        INIT_ALIKE(MPI_Gather, SENT, GOT, root)
    case GATHERV:
        INIT(MPI_Gatherv, (SENT, MANY(in), root), (SENT, LARGE_MANY(in), root))
    case SCATTER:
        INIT_ALIKE(MPI_Scatter, SENT, GOT, root)
    case SCATTERV:
        INIT(MPI_Scatterv, (MANY(out), GOT, root), (LARGE_MANY(out), GOT, root))
    case ALLGATHER:
        INIT_ALIKE(MPI_Allgather, SENT, GOT)
    case ALLGATHERV:
        INIT(MPI_Allgatherv, (SENT, MANY(in)), (SENT, LARGE_MANY(in)))
    case ALLTOALL:
        INIT_ALIKE(MPI_Alltoall, SENT, GOT)
    default:
        INIT(MPI_Alltoallv, (MANY(out), MANY(in)), (LARGE_MANY(out), LARGE_MANY(in)))
    }
}

static void open_recurrent(struct recurrent *of, enum call call, MPI_Comm comm, int is_large)
{
    *of = (struct recurrent){.call = call, .comm = comm, .is_large = is_large};
    of->size = find_peers(comm, of->world);
    MPI_Comm_rank(comm, &of->self);
    of->root = (int)(mix(7, 0, 0) % (unsigned)of->size);
    of->is_in_place = is_gather_all(call) && mix(8, 0, 0) % 4 == 0;
    open_sides(of);
    make(of);
}

static void close_recurrent(struct recurrent *of)
{
    MPI_Request_free(&of->request);
    close_side(&of->out);
    close_side(&of->in);
}

/* In place, what this process sends lies where it will be. */
static void write_anew(struct recurrent *of)
{
    for (int i = 0; i < of->in.room; i++)
        of->in.all[i] = UNTOUCHED;
    if (of->out.peers > 0)
        write_numbers(&of->out, of->out.all, 1, of->to);
    for (int i = 0; of->is_in_place && i < of->in.lengths[of->self]; i++)
        of->in.all[of->in.spread * (of->in.places[of->self] + i)] = value_at(rank, EVERYBODY, i);
}

/* ---- Starts -------------------------------------------------------------------------------- */

enum { EACH = CALLS - FIRST, ALL = 2 * EACH };

static void start_all(struct recurrent *of, int first)
{
    MPI_Request requests[ALL];
    for (int i = 0; i < ALL; i++)
        requests[i] = of[i].request;
    if (first == 0)
        MPI_Startall(ALL, requests);
    for (int i = 0; first && i < ALL; i++)
        MPI_Start(&requests[(first + i) % ALL]);
}

static void run(struct recurrent *of)
{
    int first = (int)(mix(15, (uint64_t)rank, 0) % ALL);
    for (int i = 0; i < ALL; i++)
        write_anew(&of[i]);
    start_all(of, BUG_ORDER ? 0 : first);
    if (mix(12, 0, 0) % 2 == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ALL; i++)
        end_request(&of[(first + i) % ALL].request,
                    (int)(mix(16, (uint64_t)rank, (uint64_t)i) % ENDS));
    for (int i = 0; i < ALL; i++) {
        judge(of[i].request != MPI_REQUEST_NULL, "a persistent request stays");
        if (of[i].in.peers > 0)
            compare(&of[i].in, of[i].from, names[of[i].call]);
    }
}

int main(int argc, char **argv)
{
    struct recurrent of[ALL];
    corner_open(&argc, &argv);
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned long long starts = argc > 2 ? strtoull(argv[2], NULL, 10) : 60;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    for (int i = 0; i < ALL; i++, turn++)
        open_recurrent(&of[i], (enum call)(FIRST + i % EACH), i < EACH ? MPI_COMM_WORLD : half,
                       i % 2);
    for (unsigned long long start = 0; start < starts; start++, turn++)
        run(of);
    for (int i = 0; i < ALL; i++)
        close_recurrent(&of[i]);
    MPI_Comm_free(&half);
    return corner_close();
}
