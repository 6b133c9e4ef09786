/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/route.h"

#include <limits.h>

#include "base/hash.h"
#include "base/setting.h"
#include "mpi/layout/bytes.h"
#include "mpi/layout/recipe.h"
#include "mpi/library/device.h"
#include "mpi/message/habit.h"
#include "mpi/start/ranks.h"
#include "transfer/net.h"

struct weft_mpi_data weft_mpi_data_of(const void *buffer, int64_t count,
                                      struct weft_mpi_type *type)
{
    struct weft_mpi_data data = {.buffer = (void *)buffer, .count = (size_t)count, .type = type};
    if (__builtin_mul_overflow(data.count, type->size, &data.bytes))
        data.bytes = SIZE_MAX;
    data.is_device = weft_mpi_is_device((const char *)buffer + type->first);
    return data;
}

enum weft_mpi_finding weft_mpi_data_open(const void *buffer, int64_t count, MPI_Datatype handle,
                                         struct weft_mpi_data *data)
{
    enum weft_mpi_finding finding = weft_mpi_type_find(handle, &data->type);
    if (finding == WEFT_MPI_FOUND)
        *data = weft_mpi_data_of(buffer, count, data->type);
    else
        data->type = NULL;
    return finding;
}

void weft_mpi_data_close(struct weft_mpi_data *data)
{
    weft_mpi_type_drop(data->type);
    data->type = NULL;
}

void weft_mpi_data_see_as_bytes(struct weft_mpi_data *data)
{
    data->buffer = (char *)data->buffer + data->type->first;
    weft_mpi_data_close(data);
}

/* ---- Ways ---------------------------------------------------------------------------------- */

enum { WAY_AUTO, WAY_NATIVE, WAY_PACKED, WAY_PULLED, WAY_TOGETHER, WAY_RANDOM }; /* of WEFT_WAY */

bool weft_mpi_route_is_forced_to_mpi(void)
{
    return weft_setting(WEFT_SETTING_WAY) == WAY_NATIVE;
}

bool weft_mpi_route_is_forced_to_us(void)
{
    return weft_setting(WEFT_SETTING_WAY) > WAY_NATIVE;
}

bool weft_mpi_route_is_forced_to_pack(void)
{
    return weft_setting(WEFT_SETTING_WAY) == WAY_PACKED;
}

bool weft_mpi_route_is_free(void)
{
    return weft_setting(WEFT_SETTING_WAY) == WAY_AUTO;
}

static enum weft_mpi_way draw(void)
{
    static atomic_uint drawn;
    unsigned number = atomic_fetch_add(&drawn, 1) + 1;
    return (enum weft_mpi_way)((weft_hash_mix(number, (uint64_t)weft_mpi.rank) >> 40) %
                               weft_mpi_ways());
}

/* Of those by which the receiver gets it by ticket. */
static enum weft_mpi_way way_by_ticket(void)
{
    return weft_mpi.has_heaps ? WEFT_MPI_WAY_TOGETHER : WEFT_MPI_WAY_PULLED;
}

enum weft_mpi_way weft_mpi_data_choose(const struct weft_mpi_data *data,
                                       const struct weft_mpi_args *args, bool is_blocking,
                                       struct weft_mpi_choice **awaited)
{
    struct weft_mpi_form *form = data->type->form;
    switch (weft_setting(WEFT_SETTING_WAY)) {
    case WAY_NATIVE:
        weft_mpi_habit_learn_forced(data, args->peer, args->comm, args->is_send, is_blocking);
        return WEFT_MPI_WAY_NATIVE;
    case WAY_PACKED:
        return WEFT_MPI_WAY_PACKED;
    case WAY_PULLED:
        return WEFT_MPI_WAY_PULLED;
    case WAY_TOGETHER:
        return WEFT_MPI_WAY_TOGETHER;
    case WAY_RANDOM:
        return draw();
    }
    if (args->is_judged)
        return way_by_ticket();
    if (!form)
        return WEFT_MPI_WAY_PULLED;
    const struct weft_mpi_pattern pattern = {
        args->is_send, weft_mpi_is_rank_near(args->comm, args->peer), is_blocking};
    enum weft_mpi_way way =
        weft_mpi_choose(&form->choices, data->bytes, form->pieces * data->count, pattern, awaited);
    if (way == WEFT_MPI_WAY_NATIVE)
        weft_mpi_habit_learn(data, args->peer, args->comm, pattern);
    return way;
}

bool weft_mpi_data_is_staged(const struct weft_mpi_data *data, enum weft_mpi_staged call,
                             struct weft_mpi_pattern pattern)
{
    struct weft_mpi_form *form = data->type->form;
    switch (weft_setting(WEFT_SETTING_WAY)) {
    case WAY_AUTO:
        return !form || weft_mpi_choose_ours(&form->staged[call], data->bytes,
                                             form->pieces * data->count, pattern);
    case WAY_RANDOM:
        return draw() != WEFT_MPI_WAY_NATIVE;
    default:
        return weft_mpi_route_is_forced_to_us();
    }
}

/* Whoever is far away may be sent shorter ones packed: a receiver is ready for both. */
static bool is_short_for(int in_job, size_t bytes)
{
    return in_job >= 0 && bytes <= weft_setting(WEFT_SETTING_FAR_TICKET) &&
           !weft_mpi_is_near(in_job);
}

/* The lowest reason why it cannot go by ticket. */
static bool may_go_by_ticket(size_t bytes, const struct weft_mpi_args *args)
{
    enum weft_mpi_reason reason;
    if (bytes <= weft_mpi.least_pulled)
        return false;
    int in_job = weft_mpi.net ? weft_mpi_peer(args->comm, args->peer) : -1;
    if (is_short_for(in_job, bytes))
        return false;
    if (!weft_mpi.net)
        reason = weft_mpi.size == 1  ? WEFT_MPI_SELF
                 : weft_mpi.is_joint ? WEFT_MPI_NO_NET
                                     : WEFT_MPI_NOT_JOINT;
    else if (args->mode == WEFT_MPI_BUFFERED)
        reason = WEFT_MPI_BUFFERED_SEND;
    else if (in_job < 0)
        reason = WEFT_MPI_STRANGER;
    else if (in_job == weft_mpi.rank)
        reason = WEFT_MPI_SELF;
    else
        return true;
    weft_mpi_count_reason(reason);
    return false;
}

/* Threads would wait for each other to ask. */
bool weft_mpi_route_is_brief(const void *buffer, int64_t count, MPI_Datatype type)
{
    return count == 1 && !weft_mpi_type_is_basic(type) && !weft_mpi.is_threaded &&
           weft_mpi_route_is_free() && !weft_mpi_is_device(buffer) &&
           weft_mpi_recipe_use_brief(type);
}

/* In one piece it would have been MPI's anyway. */
static void count_long(const struct weft_mpi_data *data, int64_t count)
{
    if (!weft_mpi_type_is_one_piece(data->type, count))
        weft_mpi_count_reason(WEFT_MPI_TOO_LONG);
}

/* Whether we may do anything about it; then `data` must be closed. */
static bool open_for_send(const void *buffer, int64_t count, MPI_Datatype type, int peer,
                          struct weft_mpi_data *data)
{
    if (peer == MPI_PROC_NULL || count <= 0 || weft_mpi_route_is_of_mpi(count, type))
        return false;
    if (weft_mpi_data_open(buffer, count, type, data) != WEFT_MPI_FOUND)
        return false;
    if (!weft_mpi_type_is_known(data->type))
        weft_mpi_count_reason(data->type->is_new ? WEFT_MPI_NEW_TYPE : WEFT_MPI_UNKNOWN_TYPE);
    else if (data->is_device)
        weft_mpi_count_reason(WEFT_MPI_OF_DEVICE);
    else if (data->bytes > INT_MAX)
        count_long(data, count);
    else if (data->bytes > 0)
        return true;
    weft_mpi_data_close(data);
    return false;
}

bool weft_mpi_route_is_shared(const void *buffer, size_t bytes)
{
    return weft_mpi.net && weft_mpi.net->heap && weft_mpi.least_piece &&
           bytes >= weft_mpi.least_piece &&
           weft_heap_has_all(weft_mpi.net->heap, (uintptr_t)buffer, bytes);
}

/* Data in one piece that lie in the shared heap, for a process that may have mapped it. */
static bool may_be_shared(const struct weft_mpi_data *data, int peer, MPI_Comm comm)
{
    return weft_mpi_route_is_shared(data->buffer, data->bytes) &&
           weft_mpi_is_rank_near(comm, peer);
}

/* All other ways of such data are MPI's. */
static bool piece_goes_together(size_t bytes, bool is_blocking, bool is_judged)
{
    static struct weft_mpi_choices choices;
    switch (weft_setting(WEFT_SETTING_WAY)) {
    case WAY_AUTO:
        return is_judged || weft_mpi_choose(&choices, bytes, 1,
                                            (struct weft_mpi_pattern){true, true, is_blocking},
                                            NULL) == WEFT_MPI_WAY_TOGETHER;
    case WAY_RANDOM:
        return draw() == WEFT_MPI_WAY_TOGETHER;
    default:
        return weft_setting(WEFT_SETTING_WAY) == WAY_TOGETHER;
    }
}

bool weft_mpi_route_is_open(const void *buffer, int64_t count, MPI_Datatype type, int peer,
                            struct weft_mpi_data *data)
{
    if (!open_for_send(buffer, count, type, peer, data))
        return false;
    bool is_one_piece = weft_mpi_type_is_one_piece(data->type, count);
    if (is_one_piece)
        weft_mpi_data_close(data);
    return !is_one_piece;
}

enum weft_mpi_route weft_mpi_route_send(const struct weft_mpi_args *args, bool is_blocking,
                                        struct weft_mpi_data *data)
{
    if (!open_for_send(args->buffer, args->count, args->type, args->peer, data))
        return WEFT_MPI_NATIVE;
    if (weft_mpi_type_is_one_piece(data->type, args->count)) {
        weft_mpi_habit_learn_piece(data, args->peer, args->comm, true, is_blocking);
        weft_mpi_data_see_as_bytes(data);
        if (may_be_shared(data, args->peer, args->comm) &&
            piece_goes_together(data->bytes, is_blocking, args->is_judged) &&
            may_go_by_ticket(data->bytes, args))
            return WEFT_MPI_TOGETHER;
        return weft_mpi_type_is_basic(args->type) ? WEFT_MPI_NATIVE : WEFT_MPI_AS_BYTES;
    }
    enum weft_mpi_way way = weft_mpi_data_choose(data, args, is_blocking, NULL);
    /* Without a net nobody tries tickets, and the report has to say why. */
    bool is_asked = way != WEFT_MPI_WAY_NATIVE || !weft_mpi.net;
    bool may_be_pulled = is_asked && may_go_by_ticket(data->bytes, args);
    if (way == WEFT_MPI_WAY_PULLED && may_be_pulled)
        return WEFT_MPI_BY_TICKET;
    if (way == WEFT_MPI_WAY_TOGETHER && may_be_pulled)
        return WEFT_MPI_TOGETHER;
    if (way != WEFT_MPI_WAY_NATIVE)
        return WEFT_MPI_BY_BUFFER;
    weft_mpi_count_sent(data->type->form, WEFT_MPI_NATIVELY, data->bytes);
    weft_mpi_data_close(data);
    return WEFT_MPI_NATIVE;
}

/* ---- Moving -------------------------------------------------------------------------------- */

/* MPI moves the data of a new type, unless it would have to cut an element, or the buffer is
 * MPI_BOTTOM, which MPICH takes for a mistake here. */
static bool is_simple_for_mpi(const struct weft_mpi_data *data, size_t bytes)
{
    return !data->is_device && !weft_mpi_type_is_known(data->type) && bytes == data->bytes &&
           bytes <= INT_MAX && data->buffer != MPI_BOTTOM;
}

/* In all other cases we do, unless the memory or the type is one that only MPI knows, or its bytes
 * overlap: then MPI does, as a message from this process to itself. */
static bool is_for_message(const struct weft_mpi_data *data)
{
    return data->is_device || !weft_mpi_type_understand(data->type) || !data->type->is_receivable;
}

int weft_mpi_fresh_tag(void)
{
    static atomic_uint last;
    return (int)(atomic_fetch_add(&last, 1) % 30000) + 1;
}

static int count_for_mpi(size_t count)
{
    return count < INT_MAX ? (int)count : INT_MAX;
}

static size_t room_of(size_t count, MPI_Datatype handle)
{
    MPI_Count size = 0;
    size_t room;
    mpi.Type_size_x(handle, &size);
    return __builtin_mul_overflow(count, (size_t)size, &room) ? SIZE_MAX : room;
}

/* Open MPI does not notice that a short message of a process to itself does not fit. */
int weft_mpi_place(const void *packed, size_t bytes, void *buffer, size_t count,
                   MPI_Datatype handle)
{
    int tag = weft_mpi_fresh_tag();
    size_t room = room_of(count, handle);
    struct weft_mpi_bytes sent;
    int result = weft_mpi_bytes_open(bytes < room ? bytes : room, &sent);
    if (result != MPI_SUCCESS)
        return result;
    result = mpi.Sendrecv(packed, sent.count, sent.type, 0, tag, buffer, count_for_mpi(count),
                          handle, 0, tag, weft_mpi.self, MPI_STATUS_IGNORE);
    weft_mpi_bytes_close(&sent);
    return bytes > room ? MPI_ERR_TRUNCATE : result;
}

int weft_mpi_fetch(const void *buffer, size_t count, MPI_Datatype handle, void *packed,
                   size_t bytes)
{
    int tag = weft_mpi_fresh_tag();
    struct weft_mpi_bytes received;
    int result = weft_mpi_bytes_open(bytes, &received);
    if (result != MPI_SUCCESS)
        return result;
    result = mpi.Sendrecv(buffer, count_for_mpi(count), handle, 0, tag, packed, received.count,
                          received.type, 0, tag, weft_mpi.self, MPI_STATUS_IGNORE);
    weft_mpi_bytes_close(&received);
    return result;
}

int weft_mpi_data_pack(const struct weft_mpi_data *data, void *packed)
{
    uint64_t since = weft_mpi_clock();
    int position = 0, result = MPI_SUCCESS;
    if (data->is_device)
        result =
            weft_mpi_fetch(data->buffer, data->count, data->type->handle, packed, data->bytes);
    else if (is_simple_for_mpi(data, data->bytes) || !weft_mpi_type_understand(data->type))
        result = mpi.Pack(data->buffer, count_for_mpi(data->count), data->type->handle, packed,
                          count_for_mpi(data->bytes), &position, weft_mpi.self);
    else
        weft_pack(data->type->type, data->count, data->buffer, 0, packed, data->bytes);
    if (data->type->form)
        weft_mpi_count_time(&data->type->form->gather, since);
    return result;
}

int weft_mpi_data_unpack(const struct weft_mpi_data *data, const void *packed, size_t bytes)
{
    uint64_t since = weft_mpi_clock();
    int position = 0, result = MPI_SUCCESS;
    if (is_simple_for_mpi(data, bytes))
        result = mpi.Unpack(packed, (int)bytes, &position, data->buffer, (int)data->count,
                            data->type->handle, weft_mpi.self);
    else if (is_for_message(data))
        result = weft_mpi_place(packed, bytes, data->buffer, data->count, data->type->handle);
    else
        weft_unpack(data->type->type, data->count, data->buffer, 0, packed, bytes);
    if (data->type->form)
        weft_mpi_count_time(&data->type->form->scatter, since);
    return result;
}

const weft_type *weft_mpi_data_type(const struct weft_mpi_data *data)
{
    if (!data->type)
        return weft_basic(WEFT_BYTE);
    weft_mpi_type_understand(data->type);
    return data->type->type;
}

size_t weft_mpi_data_count(const struct weft_mpi_data *data)
{
    return data->type ? data->count : data->bytes;
}

void weft_mpi_data_count_waited(const struct weft_mpi_data *data, uint64_t since)
{
    if (data->type && data->type->form)
        weft_mpi_count_time(&data->type->form->wait, since);
}

void weft_mpi_data_count_pulled(const struct weft_mpi_data *data, size_t bytes, uint64_t since)
{
    if (!data->type)
        return;
    weft_mpi_count_received(data->type->form, WEFT_MPI_PULLED, bytes);
    weft_mpi_data_count_waited(data, since);
}
