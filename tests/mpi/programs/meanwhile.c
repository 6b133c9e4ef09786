/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * meanwhile [SEED [TURNS [CALLS]]]: collectives with a request, of all kinds and sizes and several
 * at a time, while processes compute for different times, and end in any order; on communicators
 * with the ranks of the job and with others, some with large counts, some in place. Every result
 * is compared with what it must be. At the end many communicators are used and freed, one after
 * the other, and one call is waited for only after so many others.
 */
#include "corner.h"

#include <stdint.h>

enum { MOST = 40000, AT_ONCE = 5, COMMUNICATORS = 40 };

static unsigned long long seed, turn;
static int size;

/* The same for all processes if `who` is. */
static uint64_t draw(uint64_t who, uint64_t what)
{
    uint64_t x = (seed * 0x9e3779b97f4a7c15u + turn) * 0xbf58476d1ce4e5b9u;
    x = (x ^ who << 20 ^ what) * 0x94d049bb133111ebu;
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u >> 16;
}

/* ---- One call ------------------------------------------------------------------------------ */

enum kind { BARRIER, BCAST, ALLTOALL, REDUCE, ALLREDUCE, SCAN, EXSCAN, BLOCKS, PARTS, KINDS };

/* `spread` is how many longs an item takes in this process. */
struct call {
    int number, count, root, spread, is_in_place;
    enum kind kind;
    MPI_Op op;
    MPI_Datatype type;
    long *out, *in;
    int *parts; /* of PARTS, for each rank */
    MPI_Count *large_parts;
    MPI_Request request;
};

static long item(const struct call *call, int from, int to, int i)
{
    return (long)draw(1000 + (uint64_t)(from * size + to), (uint64_t)(call->number * MOST + i)) -
           (1L << 46);
}

/* Some ranks get nothing. */
static int part_of(const struct call *call, int who)
{
    return (call->number + who) % 3 * call->count;
}

static int parts_before(const struct call *call, int who)
{
    int items = 0;
    for (int i = 0; i < who; i++)
        items += part_of(call, i);
    return items;
}

static int given(const struct call *call)
{
    if (call->kind == ALLTOALL || call->kind == BLOCKS)
        return call->count * size;
    return call->kind == PARTS ? parts_before(call, size) : call->count;
}

static int gotten(const struct call *call)
{
    switch (call->kind) {
    case BARRIER:
        return 0;
    case ALLTOALL:
        return call->count * size;
    case REDUCE:
        return rank == call->root ? call->count : 0;
    case EXSCAN:
        return rank ? call->count : 0;
    case PARTS:
        return part_of(call, rank);
    default:
        return call->count;
    }
}

static MPI_Op draw_op(int which)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_BXOR, MPI_LAND};
    return ops[which];
}

/* Some collectives are in place for all or for none; in others each says so for itself. */
static int draw_in_place(const struct call *call)
{
    int by_all = draw(10, (uint64_t)call->number) % 2;
    int by_one = draw(300 + (uint64_t)rank, (uint64_t)call->number) % 2;
    switch (call->kind) {
    case REDUCE:
        return by_one && rank == call->root;
    case SCAN:
    case EXSCAN:
        return by_one;
    case ALLREDUCE:
    case BLOCKS:
    case PARTS:
        return by_all;
    default:
        return 0;
    }
}

static void fill(struct call *call)
{
    for (int i = 0; i < given(call); i++) {
        int is_block = call->kind == ALLTOALL;
        long own =
            is_block ? item(call, rank, i / call->count, i % call->count) : item(call, rank, 0, i);
        int is_read = call->is_in_place || (call->kind == BCAST && rank == call->root);
        call->out[i * call->spread] = own;
        call->in[i * call->spread] = is_read ? own : -1;
    }
    for (int i = 0; i < size; i++)
        call->large_parts[i] = call->parts[i] = part_of(call, i);
}

static void open_call(struct call *call, int number)
{
    call->number = number;
    call->kind = (enum kind)(draw(0, (uint64_t)number) % KINDS);
    call->count = 1 + (int)(draw(1, (uint64_t)number) % (1u << draw(2, (uint64_t)number) % 13));
    call->root = (int)(draw(3, (uint64_t)number) % (uint64_t)size);
    call->op = draw_op((int)(draw(4, (uint64_t)number) % 5));
    call->is_in_place = draw_in_place(call);
    /* Reductions are of basic types; of others each process has its own. */
    call->spread = call->kind >= REDUCE ? 1 : 1 + (int)(draw(5 + (uint64_t)rank, 7) % 2);
    call->out = calloc((size_t)(given(call) * call->spread + 1), sizeof(long));
    call->in = calloc((size_t)(given(call) * call->spread + 1), sizeof(long));
    call->parts = calloc((size_t)size, sizeof *call->parts);
    call->large_parts = calloc((size_t)size, sizeof *call->large_parts);
    fill(call);
}

/* MPI 4 has the same with large counts; each process uses one or the other. */
#if MPI_VERSION >= 4
#define CALL(name, ...)                                                                           \
    (is_large ? MPI_##name##_c(__VA_ARGS__, comm, &call->request)                                 \
              : MPI_##name(__VA_ARGS__, comm, &call->request))
#else
#define CALL(name, ...) ((void)is_large, MPI_##name(__VA_ARGS__, comm, &call->request))
#endif

static void begin_parts(struct call *call, const void *from, int is_large, MPI_Comm comm)
{
#if MPI_VERSION >= 4
    if (is_large) {
        MPI_Ireduce_scatter_c(from, call->in, call->large_parts, MPI_LONG, call->op, comm,
                              &call->request);
        return;
    }
#endif
    (void)is_large;
    MPI_Ireduce_scatter(from, call->in, call->parts, MPI_LONG, call->op, comm, &call->request);
}

static void begin_reduction(struct call *call, int is_large, MPI_Comm comm)
{
    const void *from = call->is_in_place ? MPI_IN_PLACE : call->out;
    switch (call->kind) {
    case REDUCE:
        CALL(Ireduce, from, rank == call->root ? call->in : NULL, call->count, MPI_LONG, call->op,
             call->root);
        break;
    case ALLREDUCE:
        CALL(Iallreduce, from, call->in, call->count, MPI_LONG, call->op);
        break;
    case SCAN:
        CALL(Iscan, from, call->in, call->count, MPI_LONG, call->op);
        break;
    case EXSCAN:
        CALL(Iexscan, from, call->in, call->count, MPI_LONG, call->op);
        break;
    case BLOCKS:
        CALL(Ireduce_scatter_block, from, call->in, call->count, MPI_LONG, call->op);
        break;
    default:
        begin_parts(call, from, is_large, comm);
        break;
    }
}

static void begin(struct call *call, int number, MPI_Comm comm)
{
    int is_large = (int)(draw(200 + (uint64_t)rank, (uint64_t)number) % 2);
    open_call(call, number);
    MPI_Type_create_resized(MPI_LONG, 0, (MPI_Aint)sizeof(long) * call->spread, &call->type);
    MPI_Type_commit(&call->type);
    switch (call->kind) {
    case BARRIER:
        MPI_Ibarrier(comm, &call->request);
        break;
    case BCAST:
        CALL(Ibcast, call->in, call->count, call->type, call->root);
        break;
    case ALLTOALL:
        CALL(Ialltoall, call->out, call->count, call->type, call->in, call->count, call->type);
        break;
    default:
        begin_reduction(call, is_large, comm);
        break;
    }
    /* MPI keeps what it needs of a type. */
    MPI_Type_free(&call->type);
}

/* Of the first ranks. */
static long combined(const struct call *call, int ranks, int i)
{
    long result = item(call, 0, 0, i);
    for (int from = 1; from < ranks; from++) {
        long next = item(call, from, 0, i);
        if (call->op == MPI_SUM)
            result = (long)((unsigned long)result + (unsigned long)next);
        else if (call->op == MPI_MAX)
            result = next > result ? next : result;
        else if (call->op == MPI_MIN)
            result = next < result ? next : result;
        else if (call->op == MPI_BXOR)
            result ^= next;
        else
            result = result && next;
    }
    return result;
}

static long expected(const struct call *call, int i)
{
    switch (call->kind) {
    case BCAST:
        return item(call, call->root, 0, i);
    case ALLTOALL:
        return item(call, i / call->count, rank, i % call->count);
    case SCAN:
        return combined(call, rank + 1, i);
    case EXSCAN:
        return combined(call, rank, i);
    case BLOCKS:
        return combined(call, size, rank * call->count + i);
    case PARTS:
        return combined(call, size, parts_before(call, rank) + i);
    default:
        return combined(call, size, i);
    }
}

/* What was only read is as it was. */
static int is_right(const struct call *call)
{
    for (int i = 0; i < gotten(call); i++)
        if (call->in[i * call->spread] != expected(call, i))
            return 0;
    for (int i = 0; call->kind >= REDUCE && i < given(call); i++)
        if (call->out[i] != item(call, rank, 0, i))
            return 0;
    return 1;
}

static void end(struct call *call)
{
    static const char *const names[KINDS] = {"a barrier",
                                             "a broadcast",
                                             "an exchange",
                                             "a reduction",
                                             "one for all",
                                             "a scan",
                                             "a scan of those before",
                                             "a reduction in blocks",
                                             "one in parts"};
    judge(is_right(call), names[call->kind]);
    free(call->out);
    free(call->in);
    free(call->parts);
    free(call->large_parts);
}

/* ---- Many ---------------------------------------------------------------------------------- */

static void compute(uint64_t steps)
{
    for (volatile uint64_t i = 0; i < steps; i++)
        continue;
}

/* Messages of the program may be under way at the same time. */
static void pass_on(int number, MPI_Comm comm)
{
    int out = number, in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 3, &in, 1, MPI_INT, (rank + size - 1) % size,
                 3, comm, MPI_STATUS_IGNORE);
    judge(in == number, "a message");
}

static void wait_for(struct call calls[], int count)
{
    MPI_Request requests[AT_ONCE];
    int done = 0, which;
    for (int i = 0; i < count; i++)
        requests[i] = calls[i].request;
    switch (draw(6 + (uint64_t)rank, 0) % 3) {
    case 0:
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (int i = 0; i < count; i++)
            MPI_Waitany(count, requests, &which, MPI_STATUS_IGNORE);
        break;
    default:
        for (int i = count - 1; i >= 0; i--)
            for (done = 0; !done;)
                MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
        break;
    }
}

/* Processes may agree here, whichever of the two they call. */
static void agree(MPI_Comm comm)
{
    int one = 1, sum = 0;
#if MPI_VERSION >= 4
    if (draw(201 + (uint64_t)rank, 0) % 2)
        MPI_Allreduce_c(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    else
#endif
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    judge(sum == size, "a sum");
}

static void take_turn(MPI_Comm comm)
{
    struct call calls[AT_ONCE];
    int count = 1 + (int)(draw(7, 0) % AT_ONCE);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < count; i++) {
        begin(&calls[i], i, comm);
        compute(draw(100 + (uint64_t)rank, (uint64_t)i) % 3000);
    }
    if (draw(8, 0) % 3 == 0)
        pass_on((int)turn, comm);
    if (draw(9, 0) % 5 == 0)
        agree(comm);
    wait_for(calls, count);
    for (int i = 0; i < count; i++)
        end(&calls[i]);
}

/* One of many that come and go: it is agreed upon in the barrier. */
static void use_and_free(void)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 2; i++) {
        MPI_Ibarrier(comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(comm);
    }
    MPI_Comm_free(&comm);
}

/* Its number is wanted again meanwhile. */
static void outlast(unsigned long long calls)
{
    MPI_Request first, next;
    agree(MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &first);
    for (int in = 1, out; calls-- > 0;) {
        MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &next);
        MPI_Wait(&next, MPI_STATUS_IGNORE);
        judge(out == size, "one of many");
    }
    MPI_Wait(&first, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm copy, turned;
    corner_open(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned long long turns = argc > 2 ? strtoull(argv[2], NULL, 10) : 600;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    const MPI_Comm comms[] = {MPI_COMM_WORLD, copy, MPI_COMM_WORLD, turned};
    for (turn = 0; turn < turns; turn++)
        take_turn(comms[turn % 4]);
    for (int i = 0; i < COMMUNICATORS; i++)
        use_and_free();
    if (argc > 3)
        outlast(strtoull(argv[3], NULL, 10));
    MPI_Comm_free(&turned);
    MPI_Comm_free(&copy);
    return corner_close();
}
