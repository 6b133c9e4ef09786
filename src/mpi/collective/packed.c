/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that spread or gather data: MPI does them, by its own algorithms, but of bytes that
 * lie together; we pack and unpack. All processes of a communicator do a call so, or none: MPI
 * libraries cut messages between elements of a type, so all must have the same. Who does it is
 * tried, for each communicator and kind.
 */
#include <limits.h>
#include <stdlib.h>

#include "mpi/collective/define.h"
#include "mpi/collective/kinds.h"
#include "mpi/collective/shadow.h"
#include "mpi/layout/buffer.h"
#include "mpi/message/operation.h"
#include "mpi/record/absent.h"
#include "mpi/report/native.h"
#include "mpi/report/slice.h"

/* A copy of more may be what the program has no memory for. */
#define MOST ((size_t)256 << 20)

/* A side of a call, and how MPI is told of it: as many bytes for each peer, or what the lists say.
 */
struct packed {
    struct weft_mpi_side side;
    int peers; /* 0: MPI does not look at it */
    bool is_in;
    struct weft_mpi_type *type; /* while there is a buffer: the program may free its own */
    size_t size;                /* of an element, */
    ptrdiff_t extent;
    void *bytes;
    void *buffer; /* ours, where `bytes` is; NULL: they lie together where they are */
    int count;
    int *counts, *places;
};

struct packed_call {
    struct packed out, in;
    enum weft_mpi_family family;
    bool is_varied;
    int root, rank, size;
    MPI_Comm comm;
};

/* ---- Moving -------------------------------------------------------------------------------- */

/* What lies at the offset in the buffer. */
struct portion {
    char *at;
    int64_t count;
    size_t offset;
};

static struct portion block_of(const struct packed *packed, int peer)
{
    const struct weft_mpi_side *side = &packed->side;
    return (struct portion){
        (char *)side->buffer + weft_mpi_side_place(side, peer) * packed->extent,
        weft_mpi_side_count(side, peer),
        packed->counts ? (size_t)packed->places[peer] : (size_t)peer * (size_t)packed->count};
}

static int move(const struct packed *packed, struct portion block, bool is_in)
{
    char *there = (char *)packed->buffer + block.offset;
    if (block.count == 0)
        return MPI_SUCCESS;
    const struct weft_mpi_data data = weft_mpi_data_of(block.at, block.count, packed->type);
    int result =
        is_in ? weft_mpi_data_unpack(&data, there, data.bytes) : weft_mpi_data_pack(&data, there);
    if (is_in)
        weft_mpi_count_received(data.type->form, WEFT_MPI_PACKED, data.bytes);
    else
        weft_mpi_count_sent(data.type->form, WEFT_MPI_PACKED, data.bytes);
    return result;
}

/* Blocks of the same length are one, which is moved faster than its parts. */
static int move_all(const struct packed *packed)
{
    int result = MPI_SUCCESS;
    struct portion block = block_of(packed, 0);
    if (!packed->counts) {
        block.count *= packed->peers;
        return move(packed, block, packed->is_in);
    }
    for (int i = 0; i < packed->peers && result == MPI_SUCCESS; i++)
        result = move(packed, block_of(packed, i), packed->is_in);
    return result;
}

/* ---- Sides as bytes ------------------------------------------------------------------------ */

/* MPI does a call that this process cannot do, and says what is wrong with it; messages of the
 * others are of bytes all the same, which MPI takes for those of any type. Only where MPI may cut
 * them, all know when they are too long (is_too_long). */
enum readiness { READY, FOR_MPI, NO_MEMORY };

/* Fills in the lists; false if a number is too large for them. */
static bool list(struct packed *packed, bool is_staged)
{
    const struct weft_mpi_side *side = &packed->side;
    size_t end = 0;
    for (int i = 0; i < packed->peers; i++) {
        int64_t count, place = (int64_t)end;
        if (__builtin_mul_overflow(weft_mpi_side_count(side, i), packed->size, &count) ||
            (!is_staged &&
             __builtin_mul_overflow(weft_mpi_side_place(side, i), packed->extent, &place)))
            return false;
        if (count > INT_MAX || place > INT_MAX || place < INT_MIN || end + (size_t)count > MOST)
            return false;
        packed->counts[i] = (int)count;
        packed->places[i] = (int)place;
        end += (size_t)count;
    }
    return true;
}

static bool make_lists(struct packed *packed)
{
    packed->counts = malloc(2 * (size_t)packed->peers * sizeof *packed->counts);
    packed->places = packed->counts + packed->peers;
    return packed->counts;
}

static size_t bytes_of(const struct packed *packed)
{
    int last = packed->peers - 1;
    if (packed->counts)
        return (size_t)packed->places[last] + (size_t)packed->counts[last];
    return (size_t)packed->peers * (size_t)packed->count;
}

static enum readiness stage(struct packed *packed)
{
    if (packed->counts && !list(packed, true))
        return FOR_MPI;
    packed->buffer = packed->bytes = weft_mpi_buffer_take(bytes_of(packed));
    return packed->buffer ? READY : NO_MEMORY;
}

static bool lies_together(struct packed *packed, const struct weft_mpi_type *type)
{
    if (packed->counts)
        return type->is_contiguous && list(packed, false);
    return weft_mpi_type_is_one_piece(type, packed->side.count * packed->peers);
}

static void measure(struct packed *packed, const struct weft_mpi_type *type)
{
    MPI_Count low = 0, extent = 0;
    mpi.Type_get_extent_x(packed->side.type, &low, &extent);
    packed->extent = (ptrdiff_t)extent;
    packed->size = type->size;
}

/* What is in place has a buffer of the other side. */
static enum readiness open_packed(struct packed *packed)
{
    struct weft_mpi_type *type;
    packed->bytes = (void *)packed->side.buffer;
    if (packed->peers == 0 || packed->side.buffer == MPI_IN_PLACE)
        return READY;
    if (weft_mpi_type_find(packed->side.type, &type) != WEFT_MPI_FOUND)
        return FOR_MPI;
    measure(packed, type);
    enum readiness readiness = READY;
    int64_t bytes = 0;
    if (weft_mpi_side_is_varied(&packed->side) && !make_lists(packed))
        readiness = NO_MEMORY;
    else if (__builtin_mul_overflow(packed->side.count, packed->size, &bytes) ||
             bytes > (int64_t)MOST)
        readiness = FOR_MPI;
    else {
        packed->count = (int)bytes;
        if (lies_together(packed, type))
            packed->bytes = (char *)packed->bytes + type->first;
        else
            readiness = stage(packed);
    }
    if (packed->buffer)
        packed->type = type;
    else
        weft_mpi_type_drop(type);
    return readiness;
}

static void close_packed(struct packed *packed)
{
    weft_mpi_buffer_give(packed->buffer);
    weft_mpi_type_drop(packed->type);
    free(packed->counts);
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* What is in place is already where the others' data will come. */
static int begin(struct packed_call *call)
{
    if (call->out.buffer)
        return move_all(&call->out);
    if (call->out.side.buffer == MPI_IN_PLACE && call->in.buffer)
        return move(&call->in, block_of(&call->in, call->rank), false);
    return MPI_SUCCESS;
}

static int end(struct packed_call *call, int result)
{
    if (result == MPI_SUCCESS && call->in.buffer)
        result = move_all(&call->in);
    close_packed(&call->out);
    close_packed(&call->in);
    return result;
}

/* Whether it goes by bytes: then it has begun, unless it has failed. */
static bool begin_by_bytes(struct packed_call *call, int *result)
{
    enum readiness out = open_packed(&call->out), in = open_packed(&call->in);
    if (out == READY && in == READY)
        *result = begin(call);
    else if (out == NO_MEMORY || in == NO_MEMORY)
        *result = weft_mpi_raise_no_memory(call->comm);
    if (out == READY && in == READY && *result == MPI_SUCCESS)
        return true;
    end(call, MPI_ERR_OTHER);
    return *result != MPI_SUCCESS;
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

static void set_roles(struct packed_call *call)
{
    mpi.Comm_rank(call->comm, &call->rank);
    mpi.Comm_size(call->comm, &call->size);
    bool is_root = call->root == call->rank;
    int all = is_root ? call->size : 0;
    call->in.is_in = true;
    switch (call->family) {
    case WEFT_MPI_BROADCAST:
        call->out.peers = is_root;
        call->in.peers = !is_root;
        return;
    case WEFT_MPI_GATHER:
        call->out.peers = 1;
        call->in.peers = all;
        return;
    case WEFT_MPI_SCATTER:
        call->out.peers = all;
        call->in.peers = 1;
        return;
    default:
        call->out.peers = 1;
        call->in.peers = call->size;
    }
}

/* The side that says how long a message is that each process sends or receives. */
static const struct packed *measure_of(const struct packed_call *call)
{
    bool is_root = call->root == call->rank;
    switch (call->family) {
    case WEFT_MPI_BROADCAST:
    case WEFT_MPI_SCATTER:
        return is_root ? &call->out : &call->in;
    case WEFT_MPI_GATHER:
        return is_root ? &call->in : &call->out;
    default:
        return &call->in;
    }
}

static bool is_valid(const struct packed *packed)
{
    return packed->peers == 0 || packed->side.buffer == MPI_IN_PLACE ||
           weft_mpi_exchange_is_valid(&packed->side, packed->peers);
}

static bool is_apart(const struct packed *packed)
{
    return packed->peers > 0 && packed->side.buffer != MPI_IN_PLACE &&
           weft_mpi_side_is_apart(&packed->side, packed->peers);
}

/* Of all processes together, where all know that; a buffer for it must not be too large. */
static bool is_too_long(const struct packed_call *call, size_t bytes)
{
    MPI_Count size = 0;
    size_t all = 0;
    if (!call->is_varied)
        return bytes > MOST / (size_t)(call->family == WEFT_MPI_BROADCAST ? 1 : call->size);
    if (call->family != WEFT_MPI_GATHER_ALL)
        return false;
    mpi.Type_size_x(call->in.side.type, &size);
    for (int i = 0; i < call->size && all <= MOST; i++)
        all += (size_t)weft_mpi_side_count(&call->in.side, i);
    return size > 0 && all > MOST / (size_t)size;
}

/* NULL if MPI is to do it. Whatever this looks at is the same for all processes. */
static struct weft_mpi_verdict *find_verdict(struct packed_call *call, bool may_wait, int *result)
{
    if (!weft_mpi_shadow_is_possible(call->comm))
        return NULL;
    set_roles(call);
    const struct weft_mpi_side *message = &measure_of(call)->side;
    if (!call->is_varied && weft_mpi_kind_is_short(message->count, message->type))
        return NULL;
    if (!is_valid(&call->out) || !is_valid(&call->in))
        return NULL;
    size_t bytes = call->is_varied ? WEFT_MPI_VARIED : weft_mpi_side_bytes(message);
    if (is_too_long(call, bytes))
        return NULL;
    struct weft_mpi_verdict *verdict =
        weft_mpi_kind_verdict(call->comm, call->family, may_wait, bytes, result);
    if (verdict && !verdict->is_wanted)
        verdict->is_wanted = is_apart(&call->out) || is_apart(&call->in);
    return verdict;
}

/* ---- With a request ------------------------------------------------------------------------ */

struct packed_task {
    struct weft_mpi_task task;
    struct packed_call call;
    MPI_Request inner; /* of the bytes */
};

static bool is_over(struct weft_mpi_task *task, int *class)
{
    struct packed_task *packed = (struct packed_task *)task;
    int flag = 0;
    int result = mpi.Test(&packed->inner, &flag, MPI_STATUS_IGNORE);
    if (!flag && result == MPI_SUCCESS)
        return false;
    *class = end(&packed->call, result);
    return true;
}

static void drop(struct weft_mpi_task *task)
{
    free(task);
}

/* What cannot be remembered, for want of memory, is waited for here. MPI tells the error handler
 * of the program's communicator of its errors itself. */
static int follow(struct packed_call *call, int result, MPI_Request *request)
{
    if (result != MPI_SUCCESS)
        return end(call, result);
    MPI_Request inner = *request;
    struct packed_task *packed = malloc(sizeof *packed);
    if (packed)
        *packed = (struct packed_task){{is_over, drop}, *call, inner};
    if (packed &&
        weft_mpi_operation_begin_task(weft_mpi.self, &packed->task, request) == MPI_SUCCESS)
        return MPI_SUCCESS;
    free(packed);
    result = end(call, mpi.Wait(&inner, MPI_STATUS_IGNORE));
    *request = inner;
    return result;
}

/* ---- Definitions --------------------------------------------------------------------------- */

#define BARE(...) __VA_ARGS__

#define OUT_ONE_BYTES call.out.bytes, call.out.count, MPI_BYTE
#define OUT_MANY_BYTES call.out.bytes, call.out.counts, call.out.places, MPI_BYTE
#define IN_ONE_BYTES call.in.bytes, call.in.count, MPI_BYTE
#define IN_MANY_BYTES call.in.bytes, call.in.counts, call.in.places, MPI_BYTE

/* How it is decided who does it, and how it ends. */
#define WAITS true
#define WAITS_IS_OURS(verdict) weft_mpi_verdict_is_ours(verdict, comm)
#define WAITS_CLOCK(verdict) weft_mpi_verdict_clock(verdict)
#define WAITS_END(result) end(&call, result)
#define REQUESTS false
#define REQUESTS_IS_OURS(verdict) weft_mpi_kind_is_ours_at_once(verdict, comm)
#define REQUESTS_CLOCK(verdict) 0
#define REQUESTS_END(result) follow(&call, result, request)

/* DEFINE(name, form of it with counts that are no larger than ours, how large its own are, how it
 * ends, (parameters), (arguments), (arguments of bytes), what is known of the call) */
#define DEFINE(name, by_bytes, SIZE, END, parameters, arguments, bytes, ...)                      \
    int MPI_##name(BARE parameters)                                                               \
    {                                                                                             \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(BARE arguments);                                                      \
        struct packed_call call = {.comm = comm, __VA_ARGS__};                                    \
        int result = MPI_SUCCESS;                                                                 \
        struct weft_mpi_verdict *verdict = find_verdict(&call, END, &result);                     \
        if (result != MPI_SUCCESS)                                                                \
            return result;                                                                        \
        bool is_ours = verdict && END##_IS_OURS(verdict);                                         \
        uint64_t since = END##_CLOCK(verdict), slice = weft_mpi_slice_begin();                    \
        if (!is_ours || !begin_by_bytes(&call, &result)) {                                        \
            result = WEFT_MPI_NATIVELY_##SIZE(name)(BARE arguments);                              \
        } else if (result == MPI_SUCCESS) {                                                       \
            weft_mpi_absent_pass("MPI_" #name);                                                   \
            result = END##_END(mpi.by_bytes(BARE bytes));                                         \
            weft_mpi_slice_end(WEFT_MPI_SLICE_##name, slice);                                     \
        }                                                                                         \
        weft_mpi_verdict_note(verdict, since);                                                    \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

/* One that waits, and one that answers with a request. */
#define DEFINE_BOTH(name, requesting, by_bytes, requesting_by_bytes, SIZE, parameters, arguments, \
                    bytes, ...)                                                                   \
    DEFINE(name, by_bytes, SIZE, WAITS, parameters, arguments, bytes, __VA_ARGS__)                \
    DEFINE(requesting, requesting_by_bytes, SIZE, REQUESTS,                                       \
           (BARE parameters, MPI_Request * request), (BARE arguments, request),                   \
           (BARE bytes, request), __VA_ARGS__)

#define ROOTED_IS .root = root
#define EQUAL_IS .root = MPI_PROC_NULL
#define DEFINE_SIZE(name, requesting, by_bytes, requesting_by_bytes, SIZE, OUT, IN, WHO,          \
                    of_family, varies)                                                            \
    DEFINE_BOTH(                                                                                  \
        name, requesting, by_bytes, requesting_by_bytes, SIZE,                                    \
        (WEFT_MPI_##OUT##_PARAMETERS(SIZE), WEFT_MPI_##IN##_PARAMETERS(SIZE),                     \
         WEFT_MPI_##WHO##_PARAMETERS),                                                            \
        (WEFT_MPI_##OUT##_ARGUMENTS, WEFT_MPI_##IN##_ARGUMENTS, WEFT_MPI_##WHO##_ARGUMENTS),      \
        (OUT##_BYTES, IN##_BYTES, WEFT_MPI_##WHO##_ARGUMENTS), WHO##_IS, .family = of_family,     \
        .is_varied = varies, .out.side = WEFT_MPI_##OUT(SIZE), .in.side = WEFT_MPI_##IN(SIZE))

#define DEFINE_ALL(name, requesting, OUT, IN, WHO, family, varies)                                \
    DEFINE_SIZE(name, requesting, name, requesting, INT, OUT, IN, WHO, family, varies)            \
    DEFINE_SIZE(name##_c, requesting##_c, name, requesting, LARGE, OUT, IN, WHO, family, varies)

/* A process has one of both sides. */
#define BROADCAST_SIDE                                                                            \
    {                                                                                             \
        .buffer = buffer, .count = count, .type = datatype                                        \
    }
#define DEFINE_BROADCAST(name, requesting, number, SIZE)                                          \
    DEFINE_BOTH(name, requesting, Bcast, Ibcast, SIZE,                                            \
                (void *buffer, number count, MPI_Datatype datatype, int root, MPI_Comm comm),     \
                (buffer, count, datatype, root, comm),                                            \
                (measure_of(&call)->bytes, measure_of(&call)->count, MPI_BYTE, root, comm),       \
                .root = root, .family = WEFT_MPI_BROADCAST, .out.side = BROADCAST_SIDE,           \
                .in.side = BROADCAST_SIDE)

DEFINE_BROADCAST(Bcast, Ibcast, int, INT)
DEFINE_BROADCAST(Bcast_c, Ibcast_c, MPI_Count, LARGE)
DEFINE_ALL(Gather, Igather, OUT_ONE, IN_ONE, ROOTED, WEFT_MPI_GATHER, false)
DEFINE_ALL(Gatherv, Igatherv, OUT_ONE, IN_MANY, ROOTED, WEFT_MPI_GATHER, true)
DEFINE_ALL(Scatter, Iscatter, OUT_ONE, IN_ONE, ROOTED, WEFT_MPI_SCATTER, false)
DEFINE_ALL(Scatterv, Iscatterv, OUT_MANY, IN_ONE, ROOTED, WEFT_MPI_SCATTER, true)
DEFINE_ALL(Allgather, Iallgather, OUT_ONE, IN_ONE, EQUAL, WEFT_MPI_GATHER_ALL, false)
DEFINE_ALL(Allgatherv, Iallgatherv, OUT_ONE, IN_MANY, EQUAL, WEFT_MPI_GATHER_ALL, true)
