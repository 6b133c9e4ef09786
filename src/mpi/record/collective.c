/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives within a group, as the messages of circle.c; those of two groups and of neighbours
 * are not in the record, which says so.
 */
#include "mpi/record/absent.h"
#include "mpi/record/between.h"
#include "mpi/record/circle.h"
#include "mpi/record/note.h"
#include "mpi/record/request.h"

/* ---- One call ------------------------------------------------------------------------------ */

struct collective {
    struct weft_mpi_circle circle;
    bool is_aside; /* the program goes on meanwhile */
    MPI_Comm comm;
};

/* What goes on beside the program. */
static struct weft_mpi_front aside;

static uint32_t mark(const struct weft_mpi_front *front, uint32_t note)
{
    const struct weft_mpi_step step = {.kind = WEFT_MPI_STEP_COMPUTE, .note = note};
    return weft_mpi_log_add(front, &step);
}

/* False if it is not recorded. */
static bool open(struct collective *call, MPI_Comm comm, const char *name, bool is_aside)
{
    struct weft_mpi_circle *circle = &call->circle;
    int is_inter = 0;
    mpi.Comm_test_inter(comm, &is_inter);
    if (is_inter)
        weft_mpi_absent_add(name);
    circle->identity = is_inter ? NULL : weft_mpi_identity(comm);
    if (!circle->identity)
        return false;
    mpi.Comm_rank(comm, &circle->rank);
    circle->size = circle->identity->size;
    circle->tag = weft_mpi_identity_collective_tag(circle->identity);
    circle->note = weft_mpi_note(name);
    circle->front = is_aside ? &aside : &weft_mpi_program;
    call->is_aside = is_aside;
    call->comm = comm;
    weft_mpi_log_compute();
    if (is_aside) {
        uint32_t begin = mark(&weft_mpi_program, circle->note);
        weft_mpi_front_set(&weft_mpi_program, begin);
        weft_mpi_front_set(&aside, begin);
    }
    return true;
}

static void close(const struct collective *call, MPI_Request *request)
{
    if (call->is_aside)
        weft_mpi_record_request(*request, mark(&aside, call->circle.note), WEFT_MPI_STEP_NONE,
                                call->comm);
}

/* ---- Definitions --------------------------------------------------------------------------- */

/* `record` is WEFT_MPI_RECORD or WEFT_MPI_RECORD_ONLY. */
#define RECORD_BOTH(record, name, requesting, parameters, arguments, ...)                         \
    record(name, parameters, arguments, struct collective call;                                   \
           if (open(&call, comm, "MPI_" #name, false)){__VA_ARGS__})                              \
        record(                                                                                   \
            requesting, (WEFT_MPI_BARE parameters, MPI_Request * request),                        \
            (WEFT_MPI_BARE arguments, request), struct collective call;                           \
            if (open(&call, comm, "MPI_" #requesting, true)) {                                    \
                __VA_ARGS__                                                                       \
                close(&call, request);                                                            \
            })

#define RECORD_ROOTED(name, requesting, SIZE, OUT, IN, family)                                    \
    RECORD_BOTH(WEFT_MPI_RECORD, name, requesting,                                                \
                (WEFT_MPI_##OUT##_PARAMETERS(SIZE), WEFT_MPI_##IN##_PARAMETERS(SIZE), int root,   \
                 MPI_Comm comm),                                                                  \
                (WEFT_MPI_##OUT##_ARGUMENTS, WEFT_MPI_##IN##_ARGUMENTS, root, comm),              \
                const struct weft_mpi_side out = WEFT_MPI_##OUT(SIZE);                            \
                const struct weft_mpi_side in = WEFT_MPI_##IN(SIZE);                              \
                family(&call.circle, &out, &in, root);)

#define RECORD_EQUAL(name, requesting, SIZE, OUT, IN, family)                                     \
    RECORD_BOTH(                                                                                  \
        WEFT_MPI_RECORD, name, requesting,                                                        \
        (WEFT_MPI_##OUT##_PARAMETERS(SIZE), WEFT_MPI_##IN##_PARAMETERS(SIZE), MPI_Comm comm),     \
        (WEFT_MPI_##OUT##_ARGUMENTS, WEFT_MPI_##IN##_ARGUMENTS, comm),                            \
        const struct weft_mpi_side out = WEFT_MPI_##OUT(SIZE);                                    \
        const struct weft_mpi_side in = WEFT_MPI_##IN(SIZE); family(&call.circle, &out, &in);)

/* Calls with counts of type int, and those with larger ones, become the same messages. */
#define RECORD_SIZES(define, name, requesting, ...)                                               \
    define(name, requesting, INT, __VA_ARGS__) define(name##_c, requesting##_c, LARGE, __VA_ARGS__)

static uint64_t bytes_of(int64_t count, MPI_Datatype type)
{
    MPI_Count size = 0;
    mpi.Type_size_x(type, &size);
    return (uint64_t)count * (uint64_t)size;
}

/* ---- Data of one's own --------------------------------------------------------------------- */

#define RECORD_BCAST(name, requesting, SIZE, family)                                              \
    RECORD_BOTH(WEFT_MPI_RECORD, name, requesting,                                                \
                (void *buffer, WEFT_MPI_##SIZE##_COUNT count, MPI_Datatype datatype, int root,    \
                 MPI_Comm comm),                                                                  \
                (buffer, count, datatype, root, comm),                                            \
                family(&call.circle, root, bytes_of(count, datatype));)

RECORD_SIZES(RECORD_BCAST, Bcast, Ibcast, weft_mpi_circle_broadcast)
RECORD_SIZES(RECORD_ROOTED, Gather, Igather, OUT_ONE, IN_ONE, weft_mpi_circle_gather)
RECORD_SIZES(RECORD_ROOTED, Gatherv, Igatherv, OUT_ONE, IN_MANY, weft_mpi_circle_gather)
RECORD_SIZES(RECORD_ROOTED, Scatter, Iscatter, OUT_ONE, IN_ONE, weft_mpi_circle_scatter)
RECORD_SIZES(RECORD_ROOTED, Scatterv, Iscatterv, OUT_MANY, IN_ONE, weft_mpi_circle_scatter)
RECORD_SIZES(RECORD_EQUAL, Allgather, Iallgather, OUT_ONE, IN_ONE, weft_mpi_circle_gather_all)
RECORD_SIZES(RECORD_EQUAL, Allgatherv, Iallgatherv, OUT_ONE, IN_MANY, weft_mpi_circle_gather_all)
RECORD_SIZES(RECORD_EQUAL, Alltoall, Ialltoall, OUT_ONE, IN_ONE, weft_mpi_circle_exchange_all)
RECORD_SIZES(RECORD_EQUAL, Alltoallv, Ialltoallv, OUT_MANY, IN_MANY, weft_mpi_circle_exchange_all)
RECORD_SIZES(RECORD_EQUAL, Alltoallw, Ialltoallw, OUT_TYPED, IN_TYPED,
             weft_mpi_circle_exchange_all)

/* ---- Reductions ---------------------------------------------------------------------------- */

RECORD_BOTH(WEFT_MPI_RECORD_ONLY, Barrier, Ibarrier, (MPI_Comm comm), (comm),
            weft_mpi_circle_barrier(&call.circle);)

#define REDUCE_PARAMETERS(SIZE)                                                                   \
    const void *sendbuf, void *recvbuf, WEFT_MPI_##SIZE##_COUNT count, MPI_Datatype datatype,     \
        MPI_Op op
#define REDUCE_ARGUMENTS sendbuf, recvbuf, count, datatype, op

#define RECORD_REDUCTION(name, requesting, SIZE, family)                                          \
    RECORD_BOTH(WEFT_MPI_RECORD_ONLY, name, requesting, (REDUCE_PARAMETERS(SIZE), MPI_Comm comm), \
                (REDUCE_ARGUMENTS, comm), family(&call.circle, bytes_of(count, datatype));)
#define RECORD_REDUCE(name, requesting, SIZE, family)                                             \
    RECORD_BOTH(WEFT_MPI_RECORD_ONLY, name, requesting,                                           \
                (REDUCE_PARAMETERS(SIZE), int root, MPI_Comm comm),                               \
                (REDUCE_ARGUMENTS, root, comm),                                                   \
                family(&call.circle, root, bytes_of(count, datatype));)
#define RECORD_BLOCKS(name, requesting, SIZE, family)                                             \
    RECORD_BOTH(WEFT_MPI_RECORD_ONLY, name, requesting, (REDUCE_PARAMETERS(SIZE), MPI_Comm comm), \
                (REDUCE_ARGUMENTS, comm),                                                         \
                const struct weft_mpi_side parts = {.count = count, .type = datatype};            \
                family(&call.circle, &parts);)
#define RECORD_PARTS(name, requesting, SIZE, family)                                              \
    RECORD_BOTH(WEFT_MPI_RECORD_ONLY, name, requesting,                                           \
                (const void *sendbuf, void *recvbuf, const WEFT_MPI_##SIZE##_COUNT counts[],      \
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),                                \
                (sendbuf, recvbuf, counts, datatype, op, comm),                                   \
                const struct weft_mpi_side parts = {.WEFT_MPI_##SIZE##_COUNTS = counts,           \
                                                    .type = datatype};                            \
                family(&call.circle, &parts);)

RECORD_SIZES(RECORD_REDUCTION, Allreduce, Iallreduce, weft_mpi_circle_reduce_all)
RECORD_SIZES(RECORD_REDUCTION, Scan, Iscan, weft_mpi_circle_scan)
RECORD_SIZES(RECORD_REDUCTION, Exscan, Iexscan, weft_mpi_circle_scan)
RECORD_SIZES(RECORD_REDUCE, Reduce, Ireduce, weft_mpi_circle_reduce)
RECORD_SIZES(RECORD_BLOCKS, Reduce_scatter_block, Ireduce_scatter_block,
             weft_mpi_circle_reduce_parts)
RECORD_SIZES(RECORD_PARTS, Reduce_scatter, Ireduce_scatter, weft_mpi_circle_reduce_parts)

/* ---- When the record begins ---------------------------------------------------------------- */

void weft_mpi_record_step_collectives(void)
{
#define STEP(name, requesting, OUT, IN, WHO, more)                                                \
    WEFT_MPI_RECORD_STEP(name)                                                                    \
    WEFT_MPI_RECORD_STEP(requesting)                                                              \
    WEFT_MPI_RECORD_STEP(name##_c)                                                                \
    WEFT_MPI_RECORD_STEP(requesting##_c)
    STEP(Bcast, Ibcast, , , , )
    WEFT_MPI_GATHERS(STEP, )
    WEFT_MPI_EXCHANGES(STEP, )
#undef STEP
}
