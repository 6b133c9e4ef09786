/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * typed [SEED [TURNS]]: exchanges with a datatype for each peer, on communicators of all kinds.
 * Both ends of a message draw its length from the same numbers and its layout from their own, so
 * every process knows what must come and which bytes must stay. A receive of the program's that
 * would match anything waits meanwhile. Every second turn has calls with requests, which are
 * waited for in all ways.
 */
#include "forms.h"

#include <stdint.h>

enum { MOST = 16, LAYOUTS = 6, ROOM = 5, UNTOUCHED = -7 };

static int size;
static unsigned long long seed, turn;

/* ---- Drawing ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + turn;
    const uint64_t more[] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        x = (x ^ more[i]) * 0xbf58476d1ce4e5b9u;
        x ^= x >> 29;
    }
    return x;
}

/* How many numbers go from one process to another: often none, seldom many. */
static int length_of(int from, int to)
{
    static const int most[] = {1, 8, 100, 3000, 40000};
    uint64_t drawn = mix(1, (uint64_t)from, (uint64_t)to, 0);
    return drawn % 5 == 0 ? 0 : 1 + (int)((drawn >> 8) % (uint64_t)most[(drawn >> 40) % 5]);
}

static int value_at(int from, int to, int i)
{
    return (int)(mix(2, (uint64_t)from, (uint64_t)to, (uint64_t)i) & 0x7fffffff);
}

/* ---- Layouts ------------------------------------------------------------------------------- */

/* Where number i of a message lies, in ints; and a datatype that says so. */
struct layout {
    int kind, length, count;
    MPI_Datatype type;
};

static int place_in(const struct layout *layout, int i)
{
    switch (layout->kind) {
    case 0:
        return i;
    case 1:
    case 2:
        return 3 * i;
    case 3:
        return i + 2;
    case 4:
        return 4 * (i / 2) + i % 2;
    default:
        return ROOM * layout->length - 1 - 2 * i;
    }
}

static MPI_Datatype listed(const struct layout *layout)
{
    int *places = malloc(sizeof *places * (size_t)layout->length);
    MPI_Datatype type;
    for (int i = 0; i < layout->length; i++)
        places[i] = place_in(layout, i);
    MPI_Type_create_indexed_block(layout->length, 1, places, MPI_INT, &type);
    free(places);
    return type;
}

static MPI_Datatype resized(MPI_Datatype element, int extent)
{
    MPI_Datatype type;
    MPI_Type_create_resized(element, 0, (MPI_Aint)sizeof(int) * extent, &type);
    return type;
}

static MPI_Datatype vector(int count, int block, int stride)
{
    MPI_Datatype type;
    MPI_Type_vector(count, block, stride, MPI_INT, &type);
    return type;
}

static MPI_Datatype shifted(int length, int by)
{
    MPI_Datatype type;
    MPI_Aint place = (MPI_Aint)sizeof(int) * by;
    MPI_Type_create_hindexed_block(1, length, &place, MPI_INT, &type);
    return type;
}

static struct layout draw_layout(int length, uint64_t drawn)
{
    struct layout layout = {.kind = (int)(drawn % LAYOUTS), .length = length, .count = 1};
    if (layout.kind == 4 && length % 2)
        layout.kind = 1;
    if (layout.kind == 0 || length == 0) {
        layout.kind = 0;
        layout.count = length;
        layout.type = MPI_INT;
        return layout;
    }
    if (layout.kind == 1) {
        layout.type = vector(length, 1, 3);
    } else if (layout.kind == 2) {
        layout.type = resized(MPI_INT, 3);
        layout.count = length;
    } else if (layout.kind == 3) {
        layout.type = shifted(length, 2);
    } else if (layout.kind == 4) {
        layout.type = vector(length / 2, 2, 4);
    } else {
        layout.type = listed(&layout);
    }
    MPI_Type_commit(&layout.type);
    return layout;
}

static void free_layout(struct layout *layout)
{
    if (layout->type != MPI_INT)
        MPI_Type_free(&layout->type);
}

/* ---- One side of an exchange --------------------------------------------------------------- */

/* Open MPI wants a type also where nothing goes, MPICH lists also where there are no peers. */
#ifdef OPEN_MPI
#define OF_NOTHING MPI_INT
#define LIST_OF(side, list) ((side)->peers > 0 ? (side)->list : NULL)
#else
#define OF_NOTHING MPI_DATATYPE_NULL
#define LIST_OF(side, list) (side)->list
#endif

/* The peers as the processes of MPI_COMM_WORLD that they are; -1: nobody. */
struct side {
    int peers, peer[MOST];
    int *memory[MOST];
    size_t ints[MOST];
    struct layout layouts[MOST];
    int counts[MOST], places[MOST];
    MPI_Count large_counts[MOST];
    MPI_Aint far[MOST];
    MPI_Datatype types[MOST];
    int *all;
};

static int length_with(const struct side *side, int is_out, int i)
{
    int peer = side->peer[i];
    return peer < 0 ? 5 : is_out ? length_of(rank, peer) : length_of(peer, rank);
}

static void open_side(struct side *side, int is_out)
{
    size_t total = 0;
    for (int i = 0; i < side->peers; i++) {
        int length = length_with(side, is_out, i);
        uint64_t drawn = mix(3, (uint64_t)rank, (uint64_t)i, (uint64_t)is_out);
        side->layouts[i] = draw_layout(length, drawn);
        side->ints[i] = (size_t)(ROOM * length + 4);
        side->far[i] = (MPI_Aint)(total * sizeof(int));
        total += side->ints[i];
    }
    side->all = malloc(sizeof(int) * (total + 1));
    for (int i = 0; i < side->peers; i++) {
        side->memory[i] = side->all + side->far[i] / (MPI_Aint)sizeof(int);
        side->places[i] = (int)side->far[i];
        side->large_counts[i] = side->counts[i] = side->layouts[i].count;
        side->types[i] = side->counts[i] > 0 ? side->layouts[i].type : OF_NOTHING;
        for (size_t j = 0; j < side->ints[i]; j++)
            side->memory[i][j] = UNTOUCHED;
    }
}

static void close_side(struct side *side)
{
    for (int i = 0; i < side->peers; i++)
        free_layout(&side->layouts[i]);
    free(side->all);
}

/* Puts what was exchanged between two processes into its places, from which it is taken or
 * compared. */
static void write_numbers(const struct side *side, int i, int *memory, int from, int to)
{
    for (int j = 0; j < side->layouts[i].length; j++)
        memory[place_in(&side->layouts[i], j)] = value_at(from, to, j);
}

static void fill(struct side *out)
{
    for (int i = 0; i < out->peers; i++)
        if (out->peer[i] >= 0)
            write_numbers(out, i, out->memory[i], rank, out->peer[i]);
}

static void compare(const struct side *in, const char *what)
{
    for (int i = 0; i < in->peers; i++) {
        int *expected = malloc(sizeof(int) * in->ints[i]);
        for (size_t j = 0; j < in->ints[i]; j++)
            expected[j] = UNTOUCHED;
        if (in->peer[i] >= 0)
            write_numbers(in, i, expected, in->peer[i], rank);
        judge(memcmp(expected, in->memory[i], sizeof(int) * in->ints[i]) == 0, what);
        free(expected);
    }
}

/* ---- Exchanges ----------------------------------------------------------------------------- */

static int in_world(MPI_Comm comm, int member)
{
    MPI_Group members, all;
    int found = -1;
    if (member == MPI_PROC_NULL)
        return -1;
    MPI_Comm_group(comm, &members);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_translate_ranks(members, 1, &member, all, &found);
    MPI_Group_free(&members);
    MPI_Group_free(&all);
    return found;
}

static enum form form_of_turn(void)
{
    return (enum form)(turn % FORMS_HERE);
}

/* Some wait for all others first, where nobody looks to what they have begun. */
static void end_somehow(MPI_Request *request, MPI_Comm comm)
{
    uint64_t drawn = mix(4, (uint64_t)rank, 0, 0);
    if (*request == MPI_REQUEST_NULL)
        return;
    if (drawn % 2 == 0)
        MPI_Barrier(comm);
    end_request(request, (int)((drawn >> 8) % ENDS));
    judge(*request == MPI_REQUEST_NULL, "a request that is over");
    if (drawn % 2)
        MPI_Barrier(comm);
}

static void open_all(MPI_Comm comm, struct side *out, struct side *in)
{
    MPI_Comm_size(comm, &out->peers);
    in->peers = out->peers;
    for (int i = 0; i < out->peers; i++)
        out->peer[i] = in->peer[i] = in_world(comm, i);
    open_side(out, 1);
    open_side(in, 0);
    fill(out);
}

static void close_both(struct side *out, struct side *in, const char *what)
{
    compare(in, what);
    close_side(out);
    close_side(in);
}

static void begin_all(MPI_Comm comm, struct side *out, struct side *in, MPI_Request *request)
{
    open_all(comm, out, in);
    MPI_Ialltoallw(out->all, out->counts, out->places, out->types, in->all, in->counts, in->places,
                   in->types, comm, request);
}

static void exchange_all(MPI_Comm comm, const char *what)
{
    struct side out, in;
    MPI_Request request = MPI_REQUEST_NULL;
    open_all(comm, &out, &in);
    MAKE(
        form_of_turn(), MPI_Alltoallw, MPI_Ialltoallw,
        (out.all, out.counts, out.places, out.types, in.all, in.counts, in.places, in.types),
        (out.all, out.large_counts, out.far, out.types, in.all, in.large_counts, in.far, in.types),
        (comm))
    end_somehow(&request, comm);
    close_both(&out, &in, what);
}

/* Several at once, and one that waits between them: each has its own data. The last to begin is
 * the first to be waited for. */
static void exchange_at_once(MPI_Comm comm)
{
    enum { AT_ONCE = 3 };
    struct side out[AT_ONCE], in[AT_ONCE];
    MPI_Request requests[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        turn += 1000;
        begin_all(comm, &out[i], &in[i], &requests[i]);
    }
    turn -= 1000 * AT_ONCE;
    exchange_all(comm, "between others");
    for (int i = AT_ONCE - 1; i > 0; i--)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < AT_ONCE; i++) {
        turn += 1000;
        close_both(&out[i], &in[i], "several at once");
    }
    turn -= 1000 * AT_ONCE;
}

/* ---- Grids --------------------------------------------------------------------------------- */

static MPI_Comm make_grid(int dimensions, int is_ring)
{
    int sizes[3] = {0}, rings[3] = {0};
    MPI_Comm grid;
    MPI_Dims_create(size, dimensions, sizes);
    for (int i = 0; i < dimensions; i++)
        rings[i] = is_ring && sizes[i] > 2;
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, rings, 0, &grid);
    return grid;
}

static void name_neighbours(MPI_Comm grid, int dimensions, struct side *out, struct side *in)
{
    out->peers = in->peers = 2 * dimensions;
    for (int i = 0; i < dimensions; i++) {
        int left, right;
        MPI_Cart_shift(grid, i, 1, &left, &right);
        out->peer[2 * i] = in->peer[2 * i] = in_world(grid, left);
        out->peer[2 * i + 1] = in->peer[2 * i + 1] = in_world(grid, right);
    }
}

/* ---- Persistent requests ------------------------------------------------------------------- */

#if MPI_VERSION >= 4

static void clear(struct side *in)
{
    for (int i = 0; i < in->peers; i++)
        for (size_t j = 0; j < in->ints[i]; j++)
            in->memory[i][j] = UNTOUCHED;
}

/* Two at once, which processes start in orders of their own, beside an exchange that waits. */
static void exchange_persistently(MPI_Comm comm)
{
    struct side out[2], in[2];
    MPI_Request requests[2];
    for (int i = 0; i < 2; i++) {
        turn += 1000;
        open_all(comm, &out[i], &in[i]);
    }
    turn -= 2000;
    MPI_Alltoallw_init(out[0].all, out[0].counts, out[0].places, out[0].types, in[0].all,
                       in[0].counts, in[0].places, in[0].types, comm, MPI_INFO_NULL, &requests[0]);
    MPI_Alltoallw_init_c(out[1].all, out[1].large_counts, out[1].far, out[1].types, in[1].all,
                         in[1].large_counts, in[1].far, in[1].types, comm, MPI_INFO_NULL,
                         &requests[1]);
    for (int start = 0; start < 3; start++) {
        int first = (int)(mix(7, (uint64_t)rank, (uint64_t)start, 0) % 3);
        clear(&in[0]);
        clear(&in[1]);
        if (first == 2)
            MPI_Startall(2, requests);
        else
            for (int i = 0; i < 2; i++)
                MPI_Start(&requests[i ^ first]);
        exchange_all(comm, "beside persistent ones");
        for (int i = 0; i < 2; i++)
            end_request(&requests[i], (int)(mix(8, (uint64_t)rank, (uint64_t)i, 0) % ENDS));
        for (int i = 0; i < 2; i++) {
            turn += 1000;
            judge(requests[i] != MPI_REQUEST_NULL, "a persistent request stays");
            compare(&in[i], "persistently");
        }
        turn -= 2000;
    }
    for (int i = 0; i < 2; i++) {
        MPI_Request_free(&requests[i]);
        close_side(&out[i]);
        close_side(&in[i]);
    }
}

static void exchange_around_persistently(int dimensions, int is_ring)
{
    struct side out, in;
    MPI_Comm grid = make_grid(dimensions, is_ring);
    MPI_Request request;
    name_neighbours(grid, dimensions, &out, &in);
    open_side(&out, 1);
    open_side(&in, 0);
    fill(&out);
    if (turn % 2)
        MPI_Neighbor_alltoallw_init(out.all, out.counts, out.far, out.types, in.all, in.counts,
                                    in.far, in.types, grid, MPI_INFO_NULL, &request);
    else
        MPI_Neighbor_alltoallw_init_c(out.all, out.large_counts, out.far, out.types, in.all,
                                      in.large_counts, in.far, in.types, grid, MPI_INFO_NULL,
                                      &request);
    for (int start = 0; start < 3; start++) {
        clear(&in);
        MPI_Start(&request);
        end_request(&request, (int)(mix(9, (uint64_t)rank, (uint64_t)start, 0) % ENDS));
        compare(&in, "neighbours, persistently");
    }
    MPI_Request_free(&request);
    close_side(&out);
    close_side(&in);
    MPI_Comm_free(&grid);
}

/* Who has no neighbours needs no lists, and some give empty ones. */
static void exchange_with_nobody(void)
{
    MPI_Comm graph;
    MPI_Request request;
    int nobody, counts[1] = {0};
    MPI_Aint places[1] = {0};
    MPI_Datatype types[1] = {MPI_INT};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &nobody, MPI_UNWEIGHTED, 0, &nobody,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    if (rank == size - 1)
        MPI_Neighbor_alltoallw_init(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, graph,
                                    MPI_INFO_NULL, &request);
    else
        MPI_Neighbor_alltoallw_init(NULL, counts, places, types, NULL, counts, places, types,
                                    graph, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Comm_free(&graph);
}

#else

static void exchange_with_nobody(void)
{
}

static void exchange_persistently(MPI_Comm comm)
{
    (void)comm;
}

static void exchange_around_persistently(int dimensions, int is_ring)
{
    (void)dimensions;
    (void)is_ring;
}

#endif

/* In place every pair of processes has one length and one layout. */
static void exchange_in_place(void)
{
    int counts[MOST], places[MOST], mine[MOST][9];
    MPI_Datatype types[MOST], column = column_of(4, MPI_INT);
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = (int)sizeof mine[0] * i;
        types[i] = column;
        for (int j = 0; j < 9; j++)
            mine[i][j] = 1000 * rank + 100 * i + j;
    }
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, mine, counts, places, types, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        judge(mine[i][0] == 1000 * i + 100 * rank && mine[i][6] == 1000 * i + 100 * rank + 6 &&
                  mine[i][1] == 1000 * rank + 100 * i + 1,
              "in place");
    MPI_Type_free(&column);
}

static void exchange_neighbours(MPI_Comm comm, struct side *out, struct side *in, const char *what)
{
    MPI_Request request = MPI_REQUEST_NULL;
    open_side(out, 1);
    open_side(in, 0);
    fill(out);
    const int *sent = LIST_OF(out, counts), *received = LIST_OF(in, counts);
    const MPI_Count *many = LIST_OF(out, large_counts), *come = LIST_OF(in, large_counts);
    const MPI_Aint *from = LIST_OF(out, far), *to = LIST_OF(in, far);
    const MPI_Datatype *of = LIST_OF(out, types), *as = LIST_OF(in, types);
    MAKE(form_of_turn(), MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw,
         (out->all, sent, from, of, in->all, received, to, as),
         (out->all, many, from, of, in->all, come, to, as), (comm))
    end_somehow(&request, comm);
    (void)many;
    (void)come;
    close_both(out, in, what);
}

static void exchange_with_neighbours(MPI_Comm grid, int dimensions, const char *what)
{
    struct side out, in;
    name_neighbours(grid, dimensions, &out, &in);
    exchange_neighbours(grid, &out, &in, what);
}

/* ---- In graphs ----------------------------------------------------------------------------- */

/* MPICH 4.0.2 loses messages where a process has other sources than targets, or in another order.
 */
#ifdef OPEN_MPI
enum { IS_SYMMETRIC = 0 };
#else
enum { IS_SYMMETRIC = 1 };
#endif

static int has_edge(int from, int to)
{
    int is_swapped = IS_SYMMETRIC && from > to;
    int low = is_swapped ? to : from, high = is_swapped ? from : to;
    return mix(6, (uint64_t)low, (uint64_t)high, 0) % 3 > 0;
}

/* Every edge is drawn, also those of a process to itself; each has its neighbours in an order of
 * its own. */
static int draw_neighbours(int is_out, int peer[])
{
    int peers = 0, side = IS_SYMMETRIC ? 0 : is_out;
    int first = (int)(mix(5, (uint64_t)rank, (uint64_t)side, 0) % (uint64_t)size);
    for (int i = 0; i < size; i++) {
        int other = (first + i) % size;
        if (is_out ? has_edge(rank, other) : has_edge(other, rank))
            peer[peers++] = other;
    }
    return peers;
}

static void exchange_in_graph(const char *what)
{
    struct side out, in;
    MPI_Comm graph;
    out.peers = draw_neighbours(1, out.peer);
    in.peers = draw_neighbours(0, in.peer);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in.peers, in.peer, MPI_UNWEIGHTED, out.peers,
                                   out.peer, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    for (int i = 0; i < 3; i++)
        exchange_neighbours(graph, &out, &in, what);
    MPI_Comm_free(&graph);
}

/* With requests, the first is MPI's own; then all have met. */
static void exchange_around(int dimensions, int is_ring, const char *what)
{
    MPI_Comm grid = make_grid(dimensions, is_ring);
    exchange_with_neighbours(grid, dimensions, what);
    exchange_with_neighbours(grid, dimensions, what);
    MPI_Comm_free(&grid);
}

/* What the program itself has under way is its own affair. */
static void exchange_beside_anything(void)
{
    int got = 0, sent = 1000 + rank;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    exchange_all(MPI_COMM_WORLD, "beside a receive of anything");
    MPI_Send(&sent, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    judge(got == 1000 + (rank + size - 1) % size, "a receive of anything");
}

static void exchange_among_few(void)
{
    MPI_Comm part, copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    exchange_all(part, "half of the processes");
    exchange_all(part, "half of the processes, again");
    MPI_Comm_dup(part, &copy);
    exchange_all(copy, "a copy of a communicator");
    MPI_Comm_free(&part);
    exchange_all(copy, "a copy that has outlived it");
    MPI_Comm_free(&copy);
}

/* ---- Errors -------------------------------------------------------------------------------- */

/* MPI says so, and nothing hangs. */
static void refuse_nonsense(void)
{
    int counts[MOST] = {0}, places[MOST] = {0};
    MPI_Datatype types[MOST];
    for (int i = 0; i < size; i++)
        types[i] = MPI_INT;
    counts[0] = -1;
    int error = MPI_Alltoallw(counts, counts, places, types, places, counts, places, types,
                              MPI_COMM_WORLD);
    judge(error_class(error) == MPI_ERR_COUNT || error_class(error) == MPI_ERR_ARG,
          "a negative count");
}

/* A type that is not committed, also where others before it are: nothing is left of the call that
 * the next one could meet. */
static void refuse_uncommitted(void)
{
    int counts[MOST], places[MOST] = {0}, memory[ROOM] = {0};
    MPI_Datatype types[MOST];
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        types[i] = MPI_INT;
    }
    types[(rank + 1) % size] = vector(2, 1, 2);
    int error = MPI_Alltoallw(memory, counts, places, types, memory, counts, places, types,
                              MPI_COMM_WORLD);
    judge(error_class(error) == MPI_ERR_TYPE, "a type that is not committed");
    MPI_Type_free(&types[(rank + 1) % size]);
    exchange_all(MPI_COMM_WORLD, "after an error");
}

int main(int argc, char **argv)
{
    corner_open(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned long long turns = argc > 2 ? strtoull(argv[2], NULL, 10) : 6;
    for (turn = 0; turn < turns; turn++) {
        exchange_all(MPI_COMM_WORLD, "all processes");
        exchange_all(MPI_COMM_SELF, "this process");
        exchange_in_place();
        exchange_around(1, 1, "a ring");
        exchange_around(2, 0, "a grid");
        exchange_around(3, 1, "a grid of rings");
        exchange_in_graph("a graph");
        exchange_beside_anything();
        exchange_among_few();
        exchange_at_once(MPI_COMM_WORLD);
        exchange_persistently(MPI_COMM_WORLD);
        exchange_around_persistently(1, 1);
        exchange_around_persistently(2, 0);
        exchange_with_nobody();
    }
    refuse_nonsense();
    refuse_uncommitted();
    return corner_close();
}
