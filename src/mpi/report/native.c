/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts calls by which MPI itself moves non-contiguous data, and puts them on the timeline. Each
 * goes on to MPI with the arguments that it came with. Without a report and a timeline the
 * program's calls do not even pass here. Only memory is looked at, not the view of a file.
 */
#include "mpi/report/native.h"
#include "mpi/record/absent.h"

#include "mpi/layout/type.h"
#include "mpi/library/moves.h"
#include "mpi/library/side.h"
#include "mpi/report/slice.h"

static struct {
    atomic_ullong calls, bytes_out, bytes_in;
} counts[WEFT_MPI_NATIVES];

static const char *const names[] = {
#define NAME(name) "MPI_" #name,
    WEFT_MPI_CALLS_COUNTED(NAME)
#undef NAME
};

const char *weft_mpi_native_name(enum weft_mpi_native call)
{
    return names[call];
}

struct weft_mpi_native_count weft_mpi_native_count(enum weft_mpi_native call)
{
    return (struct weft_mpi_native_count){.calls = atomic_load(&counts[call].calls),
                                          .bytes_out = atomic_load(&counts[call].bytes_out),
                                          .bytes_in = atomic_load(&counts[call].bytes_in)};
}

/* ---- One call ------------------------------------------------------------------------------ */

/* Bytes that lie apart. */
struct tally {
    uint64_t out, in;
};

static void enter(enum weft_mpi_native call, const struct tally *tally)
{
    if (tally->out == 0 && tally->in == 0)
        return;
    weft_mpi_add_long(&counts[call].calls, 1);
    weft_mpi_add_long(&counts[call].bytes_out, tally->out);
    weft_mpi_add_long(&counts[call].bytes_in, tally->in);
}

typedef void count_message(struct weft_mpi_form *form, enum weft_mpi_level level, size_t bytes);

/* 0 if they lie together, or are none. */
static uint64_t count_elements(int64_t count, MPI_Datatype handle, count_message *count_as)
{
    struct weft_mpi_type *type;
    uint64_t bytes = 0;
    if (count <= 0 || weft_mpi_type_is_basic(handle) ||
        weft_mpi_type_find(handle, &type) != WEFT_MPI_FOUND)
        return 0;
    if (!weft_mpi_type_is_one_piece(type, count))
        bytes = (uint64_t)count * type->size;
    if (bytes)
        count_as(type->form, WEFT_MPI_BY_MPI, bytes);
    weft_mpi_type_drop(type);
    return bytes;
}

static uint64_t count_side(const struct weft_mpi_side *side, int peers, count_message *count_as)
{
    uint64_t bytes = 0;
    int64_t elements = side->count * peers;
    if (side->buffer == MPI_IN_PLACE)
        return 0;
    for (int i = 0; side->types && i < peers; i++)
        bytes += count_elements(side->counts[i], side->types[i], count_as);
    if (side->types)
        return bytes;
    for (int i = 0; side->counts && i < peers; i++)
        elements += side->counts[i];
    return count_elements(elements, side->type, count_as);
}

static void leaves(struct tally *tally, const struct weft_mpi_side *side, int peers)
{
    tally->out += count_side(side, peers, weft_mpi_count_sent);
}

static void arrives(struct tally *tally, const struct weft_mpi_side *side, int peers)
{
    tally->in += count_side(side, peers, weft_mpi_count_received);
}

/* ---- Who takes part ------------------------------------------------------------------------ */

static bool is_between_groups(MPI_Comm comm)
{
    int is_inter = 0;
    mpi.Comm_test_inter(comm, &is_inter);
    return is_inter;
}

static int peers_of(MPI_Comm comm)
{
    int size = 0;
    if (!is_between_groups(comm))
        mpi.Comm_size(comm, &size);
    else if (WEFT_MPI_HAS(Comm_remote_size))
        mpi.Comm_remote_size(comm, &size);
    return size;
}

/* Between two groups the root calls itself MPI_ROOT, and its companions say MPI_PROC_NULL. */
static bool is_root(int root, MPI_Comm comm)
{
    int rank = MPI_PROC_NULL;
    mpi.Comm_rank(comm, &rank);
    return root == MPI_ROOT || (root == rank && !is_between_groups(comm));
}

static bool has_share(int root)
{
    return root != MPI_ROOT && root != MPI_PROC_NULL;
}

struct degree {
    int in, out;
};

static struct degree degree_in_graph(MPI_Comm comm)
{
    struct degree degree = {0};
    int is_weighted;
    if (WEFT_MPI_HAS(Dist_graph_neighbors_count))
        mpi.Dist_graph_neighbors_count(comm, &degree.in, &degree.out, &is_weighted);
    return degree;
}

static struct degree degree_of(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, neighbours = 0, rank = 0;
    if (WEFT_MPI_HAS(Topo_test))
        mpi.Topo_test(comm, &kind);
    if (kind == MPI_DIST_GRAPH)
        return degree_in_graph(comm);
    mpi.Comm_rank(comm, &rank);
    if (kind == MPI_GRAPH && WEFT_MPI_HAS(Graph_neighbors_count))
        mpi.Graph_neighbors_count(comm, rank, &neighbours);
    if (kind == MPI_CART && WEFT_MPI_HAS(Cartdim_get)) {
        mpi.Cartdim_get(comm, &neighbours);
        neighbours *= 2;
    }
    return (struct degree){neighbours, neighbours};
}

/* ---- Families of calls --------------------------------------------------------------------- */

static void broadcast(struct tally *tally, const struct weft_mpi_side *side, int root,
                      MPI_Comm comm)
{
    if (is_root(root, comm))
        leaves(tally, side, 1);
    else if (has_share(root))
        arrives(tally, side, 1);
}

static void gather(struct tally *tally, const struct weft_mpi_side *out,
                   const struct weft_mpi_side *in, int root, MPI_Comm comm)
{
    if (has_share(root))
        leaves(tally, out, 1);
    if (is_root(root, comm))
        arrives(tally, in, peers_of(comm));
}

static void scatter(struct tally *tally, const struct weft_mpi_side *out,
                    const struct weft_mpi_side *in, int root, MPI_Comm comm)
{
    if (has_share(root))
        arrives(tally, in, 1);
    if (is_root(root, comm))
        leaves(tally, out, peers_of(comm));
}

static void gather_all(struct tally *tally, const struct weft_mpi_side *out,
                       const struct weft_mpi_side *in, MPI_Comm comm)
{
    leaves(tally, out, 1);
    arrives(tally, in, peers_of(comm));
}

static void exchange_all(struct tally *tally, const struct weft_mpi_side *out,
                         const struct weft_mpi_side *in, MPI_Comm comm)
{
    leaves(tally, out, peers_of(comm));
    arrives(tally, in, peers_of(comm));
}

static void gather_around(struct tally *tally, const struct weft_mpi_side *out,
                          const struct weft_mpi_side *in, MPI_Comm comm)
{
    leaves(tally, out, 1);
    arrives(tally, in, degree_of(comm).in);
}

static void exchange_around(struct tally *tally, const struct weft_mpi_side *out,
                            const struct weft_mpi_side *in, MPI_Comm comm)
{
    leaves(tally, out, degree_of(comm).out);
    arrives(tally, in, degree_of(comm).in);
}

typedef void move(struct tally *tally, const struct weft_mpi_side *side, int peers);

/* Either layout may be the one that lies apart. */
static void move_over(struct tally *tally, const struct weft_mpi_side *here,
                      const struct weft_mpi_side *there, move *moves)
{
    struct tally before = *tally;
    moves(tally, here, 1);
    if (tally->out == before.out && tally->in == before.in)
        moves(tally, there, 1);
}

/* ---- Definitions --------------------------------------------------------------------------- */

#define BARE(...) __VA_ARGS__

/* DEFINE_AS(function, name of the call, (parameters), (arguments), what to count) */
#define DEFINE_AS(function, name, parameters, arguments, ...)                                     \
    int function(BARE parameters)                                                                 \
    {                                                                                             \
        if (WEFT_MPI_IS_OURS && weft_mpi_report_is_wanted()) {                                    \
            struct tally tally = {0};                                                             \
            __VA_ARGS__                                                                           \
            enter(WEFT_MPI_NATIVE_##name, &tally);                                                \
        }                                                                                         \
        if (WEFT_MPI_IS_OURS)                                                                     \
            weft_mpi_absent_pass("MPI_" #name);                                                   \
        uint64_t since = WEFT_MPI_IS_OURS ? weft_mpi_slice_begin() : 0;                           \
        int result = mpi.name(BARE arguments);                                                    \
        weft_mpi_slice_end(WEFT_MPI_SLICE_##name, since);                                         \
        return result;                                                                            \
    }

/* One that MPI always does. */
#define DEFINE(name, parameters, arguments, ...)                                                  \
    DEFINE_AS(MPI_##name, name, parameters, arguments, __VA_ARGS__)                               \
    WEFT_MPI_COUNTED_ALSO_PMPI(name)

/* One that we do, or have a part in, where we can; it is exported there. */
#define DEFINE_SHARED(name, parameters, arguments, ...)                                           \
    DEFINE_AS(weft_mpi_native_##name, name, parameters, arguments, __VA_ARGS__)

/* The same that answers with a request. */
#define DEFINE_REQUESTING(define, name, parameters, arguments, ...)                               \
    define(name, (BARE parameters, MPI_Request * request), (BARE arguments, request), __VA_ARGS__)

/* One that waits, and one that answers with a request. */
#define DEFINE_BOTH(name, requesting, parameters, arguments, ...)                                 \
    DEFINE(name, parameters, arguments, __VA_ARGS__);                                             \
    DEFINE_REQUESTING(DEFINE, requesting, parameters, arguments, __VA_ARGS__)
#define DEFINE_BOTH_SHARED(name, requesting, parameters, arguments, ...)                          \
    DEFINE_SHARED(name, parameters, arguments, __VA_ARGS__)                                       \
    DEFINE_REQUESTING(DEFINE_SHARED, requesting, parameters, arguments, __VA_ARGS__)

/* ---- Collectives --------------------------------------------------------------------------- */

#define DEFINE_SIDES(name, requesting, OUT, IN, WHO, family)                                      \
    DEFINE_BOTH_SHARED(                                                                           \
        name, requesting,                                                                         \
        (WEFT_MPI_##OUT##_PARAMETERS(INT), WEFT_MPI_##IN##_PARAMETERS(INT),                       \
         WEFT_MPI_##WHO##_PARAMETERS),                                                            \
        (WEFT_MPI_##OUT##_ARGUMENTS, WEFT_MPI_##IN##_ARGUMENTS, WEFT_MPI_##WHO##_ARGUMENTS),      \
        const struct weft_mpi_side out = WEFT_MPI_##OUT(INT);                                     \
        const struct weft_mpi_side in = WEFT_MPI_##IN(INT);                                       \
        family(&tally, &out, &in, WEFT_MPI_##WHO##_ARGUMENTS);)

DEFINE_BOTH_SHARED(Bcast, Ibcast,
                   (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm),
                   (buffer, count, datatype, root, comm),
                   const struct weft_mpi_side side = {.count = count, .type = datatype};
                   broadcast(&tally, &side, root, comm);)
DEFINE_SIDES(Gather, Igather, OUT_ONE, IN_ONE, ROOTED, gather)
DEFINE_SIDES(Gatherv, Igatherv, OUT_ONE, IN_MANY, ROOTED, gather)
DEFINE_SIDES(Scatter, Iscatter, OUT_ONE, IN_ONE, ROOTED, scatter)
DEFINE_SIDES(Scatterv, Iscatterv, OUT_MANY, IN_ONE, ROOTED, scatter)
DEFINE_SIDES(Allgather, Iallgather, OUT_ONE, IN_ONE, EQUAL, gather_all)
DEFINE_SIDES(Allgatherv, Iallgatherv, OUT_ONE, IN_MANY, EQUAL, gather_all)
WEFT_MPI_EXCHANGES(DEFINE_SIDES, exchange_all)
DEFINE_SIDES(Neighbor_allgather, Ineighbor_allgather, OUT_ONE, IN_ONE, EQUAL, gather_around)
DEFINE_SIDES(Neighbor_allgatherv, Ineighbor_allgatherv, OUT_ONE, IN_MANY, EQUAL, gather_around)
DEFINE_SIDES(Neighbor_alltoall, Ineighbor_alltoall, OUT_ONE, IN_ONE, EQUAL, exchange_around)
DEFINE_SIDES(Neighbor_alltoallv, Ineighbor_alltoallv, OUT_MANY, IN_MANY, EQUAL, exchange_around)
DEFINE_SIDES(Neighbor_alltoallw, Ineighbor_alltoallw, OUT_FAR, IN_FAR, EQUAL, exchange_around)

/* ---- One-sided ----------------------------------------------------------------------------- */

#define ORIGIN                                                                                    \
    {                                                                                             \
        .count = origin_count, .type = origin_type                                                \
    }
#define TARGET                                                                                    \
    {                                                                                             \
        .count = target_count, .type = target_type                                                \
    }

#define MOVE_OVER(HERE, moves)                                                                    \
    {                                                                                             \
        const struct weft_mpi_side here = HERE, there = TARGET;                                   \
        move_over(&tally, &here, &there, moves);                                                  \
    }

DEFINE_BOTH_SHARED(Put, Rput,
                   (WEFT_MPI_ORIGIN_PARAMETERS(const void *, int), WEFT_MPI_TARGET_PARAMETERS(int),
                    MPI_Win win),
                   (WEFT_MPI_ORIGIN_ARGUMENTS, WEFT_MPI_TARGET_ARGUMENTS, win),
                   MOVE_OVER(ORIGIN, leaves))
DEFINE_BOTH_SHARED(Get, Rget,
                   (WEFT_MPI_ORIGIN_PARAMETERS(void *, int), WEFT_MPI_TARGET_PARAMETERS(int),
                    MPI_Win win),
                   (WEFT_MPI_ORIGIN_ARGUMENTS, WEFT_MPI_TARGET_ARGUMENTS, win),
                   MOVE_OVER(ORIGIN, arrives))
DEFINE_BOTH_SHARED(Accumulate, Raccumulate,
                   (WEFT_MPI_ORIGIN_PARAMETERS(const void *, int), WEFT_MPI_TARGET_PARAMETERS(int),
                    MPI_Op op, MPI_Win win),
                   (WEFT_MPI_ORIGIN_ARGUMENTS, WEFT_MPI_TARGET_ARGUMENTS, op, win),
                   MOVE_OVER(ORIGIN, leaves))
/* What it hands over is not looked at: with MPI_NO_OP it need not even be a type. */
#define RESULT                                                                                    \
    {                                                                                             \
        .count = result_count, .type = result_type                                                \
    }
DEFINE_BOTH(Get_accumulate, Rget_accumulate,
            (WEFT_MPI_ORIGIN_PARAMETERS(const void *, int), void *result_addr, int result_count,
             MPI_Datatype result_type, WEFT_MPI_TARGET_PARAMETERS(int), MPI_Op op, MPI_Win win),
            (WEFT_MPI_ORIGIN_ARGUMENTS, result_addr, result_count, result_type,
             WEFT_MPI_TARGET_ARGUMENTS, op, win),
            MOVE_OVER(RESULT, arrives));

/* ---- Files --------------------------------------------------------------------------------- */

#define DEFINE_FILE(name, buffer, PLACE, END, moves)                                              \
    DEFINE_SHARED(                                                                                \
        name, (WEFT_MPI_FILE_PARAMETERS(PLACE, buffer, int, END)),                                \
        (WEFT_MPI_##PLACE##_ARGUMENTS, buf, count, datatype WEFT_MPI_##END##_ARGUMENTS),          \
        const struct weft_mpi_side memory = {.count = count, .type = datatype};                   \
        moves(&tally, &memory, 1);)

#define DEFINE_FILE_WAYS(READ, WRITE, PLACE, END)                                                 \
    DEFINE_FILE(READ, void *, PLACE, END, arrives)                                                \
    DEFINE_FILE(WRITE, const void *, PLACE, END, leaves)

#define DEFINE_FILE_BEGINS(READ, WRITE, PLACE)                                                    \
    DEFINE_FILE_WAYS(READ##_begin, WRITE##_begin, PLACE, BEGINS)

WEFT_MPI_FILE_CALLS(DEFINE_FILE_WAYS)
WEFT_MPI_SPLIT_FILE_CALLS(DEFINE_FILE_BEGINS)
