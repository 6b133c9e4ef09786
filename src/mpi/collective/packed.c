/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/collective/packed.h"

#include <limits.h>
#include <stdlib.h>

#include "mpi/collective/exchange.h"
#include "mpi/layout/buffer.h"
#include "mpi/message/operation.h"
#include "mpi/message/route.h"

/* A copy of more may be what the program has no memory for. */
#define MOST ((size_t)256 << 20)

/* ---- Roles --------------------------------------------------------------------------------- */

void weft_mpi_packed_set_roles(struct weft_mpi_packed_call *call)
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
    case WEFT_MPI_ALL_TO_ALL:
        call->out.peers = call->in.peers = call->size;
        return;
    default:
        call->out.peers = 1;
        call->in.peers = call->size;
    }
}

const struct weft_mpi_packed *weft_mpi_packed_measure(const struct weft_mpi_packed_call *call)
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

static bool is_valid(const struct weft_mpi_packed *packed)
{
    return packed->peers == 0 || packed->side.buffer == MPI_IN_PLACE ||
           weft_mpi_exchange_is_valid(&packed->side, packed->peers);
}

static bool is_apart(const struct weft_mpi_packed *packed)
{
    return packed->peers > 0 && packed->side.buffer != MPI_IN_PLACE &&
           weft_mpi_side_is_apart(&packed->side, packed->peers);
}

/* Of all processes together, where all know that; a buffer for it must not be too large. */
static bool is_too_long(const struct weft_mpi_packed_call *call, size_t bytes)
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

size_t weft_mpi_packed_bytes(const struct weft_mpi_packed_call *call)
{
    if (!is_valid(&call->out) || !is_valid(&call->in))
        return 0;
    size_t bytes = call->is_varied ? WEFT_MPI_VARIED
                                   : weft_mpi_side_bytes(&weft_mpi_packed_measure(call)->side);
    return is_too_long(call, bytes) ? 0 : bytes;
}

bool weft_mpi_packed_is_apart(const struct weft_mpi_packed_call *call)
{
    return is_apart(&call->out) || is_apart(&call->in);
}

/* ---- Moving -------------------------------------------------------------------------------- */

/* What lies at the offset in the buffer. */
struct portion {
    char *at;
    int64_t count;
    size_t offset;
};

static struct portion block_of(const struct weft_mpi_packed *packed, int peer)
{
    const struct weft_mpi_side *side = &packed->side;
    return (struct portion){
        (char *)side->buffer + weft_mpi_side_place(side, peer) * packed->extent,
        weft_mpi_side_count(side, peer),
        packed->counts ? (size_t)packed->places[peer] : (size_t)peer * (size_t)packed->count};
}

static int move(const struct weft_mpi_packed *packed, struct portion block, bool is_in)
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
static int move_all(const struct weft_mpi_packed *packed)
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

/* Fills in the lists; false if a number is too large for them. */
static bool list(struct weft_mpi_packed *packed, bool is_staged)
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

static bool make_lists(struct weft_mpi_packed *packed)
{
    packed->counts = malloc(2 * (size_t)packed->peers * sizeof *packed->counts);
    packed->places = packed->counts + packed->peers;
    return packed->counts;
}

static size_t bytes_of(const struct weft_mpi_packed *packed)
{
    int last = packed->peers - 1;
    if (packed->counts)
        return (size_t)packed->places[last] + (size_t)packed->counts[last];
    return (size_t)packed->peers * (size_t)packed->count;
}

static enum weft_mpi_readiness stage(struct weft_mpi_packed *packed)
{
    if (packed->counts && !list(packed, true))
        return WEFT_MPI_FOR_MPI;
    packed->buffer = packed->bytes = weft_mpi_buffer_take(bytes_of(packed));
    return packed->buffer ? WEFT_MPI_READY_BY_BYTES : WEFT_MPI_WITHOUT_MEMORY;
}

static bool lies_together(struct weft_mpi_packed *packed, const struct weft_mpi_type *type)
{
    if (packed->counts)
        return type->is_contiguous && list(packed, false);
    return weft_mpi_type_is_one_piece(type, packed->side.count * packed->peers);
}

static void measure(struct weft_mpi_packed *packed, const struct weft_mpi_type *type)
{
    MPI_Count low = 0, extent = 0;
    mpi.Type_get_extent_x(packed->side.type, &low, &extent);
    packed->extent = (ptrdiff_t)extent;
    packed->size = type->size;
}

/* What is in place has a buffer of the other side. */
static enum weft_mpi_readiness open_packed(struct weft_mpi_packed *packed)
{
    struct weft_mpi_type *type;
    packed->bytes = (void *)packed->side.buffer;
    if (packed->peers == 0 || packed->side.buffer == MPI_IN_PLACE)
        return WEFT_MPI_READY_BY_BYTES;
    if (weft_mpi_type_find(packed->side.type, &type) != WEFT_MPI_FOUND)
        return WEFT_MPI_FOR_MPI;
    measure(packed, type);
    enum weft_mpi_readiness readiness = WEFT_MPI_READY_BY_BYTES;
    int64_t bytes = 0;
    if (weft_mpi_side_is_varied(&packed->side) && !make_lists(packed))
        readiness = WEFT_MPI_WITHOUT_MEMORY;
    else if (__builtin_mul_overflow(packed->side.count, packed->size, &bytes) ||
             bytes > (int64_t)MOST)
        readiness = WEFT_MPI_FOR_MPI;
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

static void close_packed(struct weft_mpi_packed *packed)
{
    weft_mpi_buffer_give(packed->buffer);
    weft_mpi_type_drop(packed->type);
    free(packed->counts);
}

/* ---- Calls --------------------------------------------------------------------------------- */

enum weft_mpi_readiness weft_mpi_packed_open(struct weft_mpi_packed_call *call)
{
    enum weft_mpi_readiness out = open_packed(&call->out), in = open_packed(&call->in);
    return out > in ? out : in;
}

void weft_mpi_packed_close(struct weft_mpi_packed_call *call)
{
    close_packed(&call->out);
    close_packed(&call->in);
}

/* What is in place is already where the others' data will come. */
int weft_mpi_packed_load(const struct weft_mpi_packed_call *call)
{
    if (call->out.buffer)
        return move_all(&call->out);
    if (call->out.side.buffer == MPI_IN_PLACE && call->in.buffer)
        return move(&call->in, block_of(&call->in, call->rank), false);
    return MPI_SUCCESS;
}

int weft_mpi_packed_unload(const struct weft_mpi_packed_call *call)
{
    return call->in.buffer ? move_all(&call->in) : MPI_SUCCESS;
}
