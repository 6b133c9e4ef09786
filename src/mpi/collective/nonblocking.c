/* SPDX-License-Identifier: BSD-3-Clause */
/* The collectives with a request that can be schedules, by their arguments. */
#include "mpi/collective/offload.h"
#include "mpi/collective/shadow.h"

#ifdef WEFT_MPI_JUMP

/* ---- Arguments ----------------------------------------------------------------------------- */

/* What MPI refuses it is to refuse itself, and what has no bytes it does at once. */
static bool measure(const struct weft_mpi_named *named, int peers, size_t *bytes)
{
    MPI_Count size = 0;
    if (named->count <= 0 || named->type == MPI_DATATYPE_NULL || named->buffer == MPI_IN_PLACE)
        return false;
    mpi.Type_size_x(named->type, &size);
    return size > 0 && !__builtin_mul_overflow((size_t)size, (size_t)named->count, bytes) &&
           !__builtin_mul_overflow(*bytes, (size_t)peers, bytes);
}

/* Operators whose results do not depend on the order, */
static bool find_operation(MPI_Op op, ptl_op_t *operation)
{
#define TRY(name)                                                                                 \
    if (op == MPI_##name) {                                                                       \
        *operation = PTL_##name;                                                                  \
        return true;                                                                              \
    }
    TRY(SUM)
    TRY(PROD)
    TRY(MIN)
    TRY(MAX)
    TRY(LAND)
    TRY(LOR)
    TRY(LXOR)
    TRY(BAND)
    TRY(BOR)
    TRY(BXOR)
#undef TRY
    return false;
}

/* and items of which that is true: no numbers that are rounded. */
static bool find_datatype(MPI_Datatype type, ptl_datatype_t *datatype)
{
#define TRY(name, TYPE)                                                                           \
    if (type == MPI_##name) {                                                                     \
        bool is_signed = (TYPE)-1 < (TYPE)1;                                                      \
        if (sizeof(TYPE) == sizeof(int32_t))                                                      \
            *datatype = is_signed ? PTL_INT32_T : PTL_UINT32_T;                                   \
        else                                                                                      \
            *datatype = is_signed ? PTL_INT64_T : PTL_UINT64_T;                                   \
        return true;                                                                              \
    }
    TRY(INT, int)
    TRY(UNSIGNED, unsigned)
    TRY(LONG, long)
    TRY(UNSIGNED_LONG, unsigned long)
    TRY(LONG_LONG, long long)
    TRY(UNSIGNED_LONG_LONG, unsigned long long)
    TRY(INT32_T, int32_t)
    TRY(UINT32_T, uint32_t)
    TRY(INT64_T, int64_t)
    TRY(UINT64_T, uint64_t)
#undef TRY
    return false;
}

static bool offload_barrier(MPI_Comm comm, MPI_Request *request, int *result)
{
    const struct weft_mpi_offload call = {.collective = WEFT_MPI_IBARRIER, .comm = comm};
    return weft_mpi_offload_give_away(&call, request, result);
}

static bool is_rank(int root)
{
    return root >= 0 && root < weft_mpi.size;
}

static bool offload_bcast(enum weft_mpi_collective collective, void *buffer, MPI_Count count,
                          MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request,
                          int *result)
{
    struct weft_mpi_offload call = {
        .collective = collective, .comm = comm, .root = root, .in = {buffer, count, type}};
    return is_rank(root) && measure(&call.in, 1, &call.bytes) &&
           weft_mpi_offload_give_away(&call, request, result);
}

static bool offload_alltoall(enum weft_mpi_collective collective, const void *from,
                             MPI_Count out_count, MPI_Datatype out_type, void *to,
                             MPI_Count in_count, MPI_Datatype in_type, MPI_Comm comm,
                             MPI_Request *request, int *result)
{
    size_t bytes;
    struct weft_mpi_offload call = {.collective = collective,
                                    .comm = comm,
                                    .out = {from, out_count, out_type},
                                    .in = {to, in_count, in_type}};
    return measure(&call.out, weft_mpi.size, &call.bytes) &&
           measure(&call.in, weft_mpi.size, &bytes) && bytes == call.bytes &&
           weft_mpi_offload_give_away(&call, request, result);
}

/* ---- Reductions ---------------------------------------------------------------------------- */

/* A process may say alone that it is in place, so that makes no difference for who does it. */
static struct weft_mpi_offload reduction(enum weft_mpi_collective collective, const void *from,
                                         void *to, MPI_Count count, MPI_Datatype type,
                                         MPI_Comm comm)
{
    bool is_in_place = from == MPI_IN_PLACE;
    return (struct weft_mpi_offload){.collective = collective,
                                     .comm = comm,
                                     .is_in_place = is_in_place,
                                     .out = {is_in_place ? to : from, count, type},
                                     .in = {to, count, type}};
}

static bool give_away_reduction(struct weft_mpi_offload *call, MPI_Op op, MPI_Request *request,
                                int *result)
{
    return call->out.buffer && find_operation(op, &call->operation) &&
           find_datatype(call->out.type, &call->datatype) &&
           measure(&call->out, 1, &call->bytes) &&
           weft_mpi_offload_give_away(call, request, result);
}

/* All processes get as much as they give. */
static bool offload_equal(enum weft_mpi_collective collective, const void *from, void *to,
                          MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request, int *result)
{
    struct weft_mpi_offload call = reduction(collective, from, to, count, type, comm);
    return give_away_reduction(&call, op, request, result);
}

static bool offload_reduce(enum weft_mpi_collective collective, const void *from, void *to,
                           MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                           MPI_Request *request, int *result)
{
    struct weft_mpi_offload call = reduction(collective, from, to, count, type, comm);
    call.root = root;
    return is_rank(root) && (!call.is_in_place || root == weft_mpi.rank) &&
           give_away_reduction(&call, op, request, result);
}

/* A communicator of another size has another number of counts. */
static bool sum_up(const struct weft_mpi_side *parts, MPI_Comm comm, MPI_Count *total)
{
    int size = 0;
    if (!weft_mpi_shadow_is_possible(comm) || mpi.Comm_size(comm, &size) != MPI_SUCCESS ||
        size != weft_mpi.size)
        return false;
    *total = 0;
    for (int i = 0; i < size; i++) {
        MPI_Count count = weft_mpi_side_count(parts, i);
        if (count < 0 || __builtin_add_overflow(*total, count, total))
            return false;
    }
    return true;
}

/* Each process gets a part of what it gives. */
static bool offload_parts(enum weft_mpi_collective collective, const void *from, void *to,
                          const struct weft_mpi_side *parts, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request, int *result)
{
    MPI_Count total;
    if (!sum_up(parts, comm, &total))
        return false;
    struct weft_mpi_offload call = reduction(collective, from, to, total, type, comm);
    call.parts = *parts;
    call.in.count = weft_mpi_side_count(parts, weft_mpi.rank);
    return give_away_reduction(&call, op, request, result);
}

#define OFFLOAD_PARTS(name, number, member)                                                       \
    static bool name(enum weft_mpi_collective collective, const void *from, void *to,             \
                     number member, MPI_Datatype type, MPI_Op op, MPI_Comm comm,                  \
                     MPI_Request *request, int *result)                                           \
    {                                                                                             \
        const struct weft_mpi_side parts = {.member = member};                                    \
        return offload_parts(collective, from, to, &parts, type, op, comm, request, result);      \
    }
OFFLOAD_PARTS(offload_blocks, MPI_Count, count)
OFFLOAD_PARTS(offload_counts, const int *, counts)
OFFLOAD_PARTS(offload_large_counts, const MPI_Count *, large_counts)

/* ---- The calls ----------------------------------------------------------------------------- */

#define BARE(...) __VA_ARGS__

/* What others do with a call of the library itself depends on who calls, so that goes past them.
 */
#define DEFINE(name, collective, by_us, parameters, arguments)                                    \
    static __typeof__(PMPI_##name) *next_##name;                                                  \
    static int offloaded_##name(BARE parameters, MPI_Comm comm, MPI_Request *request)             \
    {                                                                                             \
        int result;                                                                               \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(BARE arguments, comm, request);                                       \
        return by_us(WEFT_MPI_##collective, BARE arguments, comm, request, &result)               \
                   ? result                                                                       \
                   : next_##name(BARE arguments, comm, request);                                  \
    }

#define STEP_IN(name)                                                                             \
    next_##name = (__typeof__(next_##name))weft_mpi_step_between(                                 \
        "PMPI_" #name, (weft_mpi_function *)offloaded_##name);

#define DEFINE_BCAST(name, collective, number)                                                    \
    DEFINE(name, collective, offload_bcast,                                                       \
           (void *buffer, number count, MPI_Datatype type, int root),                             \
           (buffer, count, type, root))
#define DEFINE_ALLTOALL(name, collective, number)                                                 \
    DEFINE(name, collective, offload_alltoall,                                                    \
           (const void *from, number out_count, MPI_Datatype out_type, void *to, number in_count, \
            MPI_Datatype in_type),                                                                \
           (from, out_count, out_type, to, in_count, in_type))
#define DEFINE_REDUCE(name, collective, number)                                                   \
    DEFINE(name, collective, offload_reduce,                                                      \
           (const void *from, void *to, number count, MPI_Datatype type, MPI_Op op, int root),    \
           (from, to, count, type, op, root))
/* `number` is that of a count, or of a list of them. */
#define DEFINE_REDUCTION(name, collective, by_us, number)                                         \
    DEFINE(name, collective, by_us,                                                               \
           (const void *from, void *to, number count, MPI_Datatype type, MPI_Op op),              \
           (from, to, count, type, op))
DEFINE_BCAST(Ibcast, IBCAST, int)
DEFINE_BCAST(Ibcast_c, IBCAST, MPI_Count)
DEFINE_ALLTOALL(Ialltoall, IALLTOALL, int)
DEFINE_ALLTOALL(Ialltoall_c, IALLTOALL, MPI_Count)
DEFINE_REDUCE(Ireduce, IREDUCE, int)
DEFINE_REDUCE(Ireduce_c, IREDUCE, MPI_Count)
DEFINE_REDUCTION(Iallreduce, IALLREDUCE, offload_equal, int)
DEFINE_REDUCTION(Iallreduce_c, IALLREDUCE, offload_equal, MPI_Count)
DEFINE_REDUCTION(Iscan, ISCAN, offload_equal, int)
DEFINE_REDUCTION(Iscan_c, ISCAN, offload_equal, MPI_Count)
DEFINE_REDUCTION(Iexscan, IEXSCAN, offload_equal, int)
DEFINE_REDUCTION(Iexscan_c, IEXSCAN, offload_equal, MPI_Count)
DEFINE_REDUCTION(Ireduce_scatter_block, IREDUCE_SCATTER_BLOCK, offload_blocks, int)
DEFINE_REDUCTION(Ireduce_scatter_block_c, IREDUCE_SCATTER_BLOCK, offload_blocks, MPI_Count)
DEFINE_REDUCTION(Ireduce_scatter, IREDUCE_SCATTER, offload_counts, const int *)
DEFINE_REDUCTION(Ireduce_scatter_c, IREDUCE_SCATTER, offload_large_counts, const MPI_Count *)

static __typeof__(PMPI_Ibarrier) *next_Ibarrier;
static int offloaded_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    int result;
    if (!WEFT_MPI_IS_OURS)
        return mpi.Ibarrier(comm, request);
    return offload_barrier(comm, request, &result) ? result : next_Ibarrier(comm, request);
}

void weft_mpi_offload_step_in(void)
{
    STEP_IN(Ibarrier)
    STEP_IN(Ibcast)
    STEP_IN(Ibcast_c)
    STEP_IN(Ialltoall)
    STEP_IN(Ialltoall_c)
    STEP_IN(Ireduce)
    STEP_IN(Ireduce_c)
    STEP_IN(Iallreduce)
    STEP_IN(Iallreduce_c)
    STEP_IN(Iscan)
    STEP_IN(Iscan_c)
    STEP_IN(Iexscan)
    STEP_IN(Iexscan_c)
    STEP_IN(Ireduce_scatter_block)
    STEP_IN(Ireduce_scatter_block_c)
    STEP_IN(Ireduce_scatter)
    STEP_IN(Ireduce_scatter_c)
}

#endif
