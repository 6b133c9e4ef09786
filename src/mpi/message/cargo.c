/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/cargo.h"

#include <limits.h>
#include <string.h>

#include "mpi/layout/buffer.h"
#include "mpi/library/device.h"
#include "mpi/message/habit.h"

/* ---- Where it arrives ---------------------------------------------------------------------- */

static bool is_ours_to_place(const struct weft_mpi_data *data)
{
    return !data->is_device && weft_mpi_type_is_known(data->type) && data->type->is_receivable;
}

/* Whether MPI puts it in its place, for it is as fast as we are. */
static bool is_for_mpi_to_place(const struct weft_mpi_args *args, const struct weft_mpi_data *data,
                                struct weft_mpi_choice **awaited)
{
    return data->bytes == 0 || weft_mpi_type_is_one_piece(data->type, args->count) ||
           !is_ours_to_place(data) ||
           weft_mpi_data_choose(data, args, args->is_blocking, awaited) == WEFT_MPI_WAY_NATIVE;
}

static void note_reason(const struct weft_mpi_data *data)
{
    const struct weft_mpi_type *type = data->type;
    if (data->is_device)
        weft_mpi_count_reason(WEFT_MPI_OF_DEVICE);
    else if (!type->is_receivable)
        weft_mpi_count_reason(WEFT_MPI_OVERLAPPING);
    else if (!weft_mpi_type_is_known(type) && !type->is_new)
        weft_mpi_count_reason(WEFT_MPI_UNKNOWN_TYPE);
}

static void stage(struct weft_mpi_cargo *cargo)
{
    cargo->room = cargo->data.bytes;
    if (weft_mpi_bytes_open(cargo->room, &cargo->bytes) == MPI_SUCCESS)
        cargo->buffer = weft_mpi_buffer_take(cargo->room);
}

_Thread_local struct weft_mpi_dense weft_mpi_dense;

static void learn_dense(const struct weft_mpi_data *data)
{
    const struct weft_mpi_type *type = data->type;
    if (weft_mpi_type_is_basic(type->handle) && type->is_contiguous && type->first == 0) {
        weft_mpi_dense.handle = type->handle;
        weft_mpi_dense.size = type->size;
    }
}

static void see_as_piece(const struct weft_mpi_args *args, struct weft_mpi_cargo *cargo)
{
    struct weft_mpi_data *data = &cargo->data;
    learn_dense(data);
    weft_mpi_habit_learn_piece(data, args->peer, args->comm, false, args->is_blocking);
    if (weft_mpi_type_is_measured(data->type))
        cargo->measure = weft_mpi_type_hold(data->type);
    weft_mpi_data_see_as_bytes(data);
}

enum weft_mpi_arrival weft_mpi_cargo_open(const struct weft_mpi_args *args,
                                          struct weft_mpi_cargo *cargo)
{
    struct weft_mpi_data *data = &cargo->data;
    *cargo = (struct weft_mpi_cargo){0};
    if (args->peer == MPI_PROC_NULL || args->count <= 0 ||
        weft_mpi_is_short(args->count, args->type) ||
        weft_mpi_route_is_brief(args->buffer, args->count, args->type))
        return WEFT_MPI_UNSEEN;
    if (weft_mpi_cargo_open_dense(args, cargo) || weft_mpi_habit_receives(args, cargo) ||
        weft_mpi_habit_receives_alike(args, cargo))
        return WEFT_MPI_SEEN;
    enum weft_mpi_finding finding =
        weft_mpi_data_open(args->buffer, args->count, args->type, data);
    if (finding != WEFT_MPI_FOUND)
        return finding == WEFT_MPI_INVALID ? WEFT_MPI_UNSEEN : WEFT_MPI_NOWHERE;
    bool is_one_piece = weft_mpi_type_is_one_piece(data->type, args->count);
    bool is_for_mpi = is_for_mpi_to_place(args, data, &cargo->awaited);
    note_reason(data);
    if (data->bytes == 0 || (is_for_mpi && !weft_mpi_has_room_for_ticket(data->bytes))) {
        weft_mpi_data_close(data);
        return WEFT_MPI_UNSEEN;
    }
    if (is_one_piece)
        see_as_piece(args, cargo);
    else if (!is_for_mpi || !is_ours_to_place(data) || !data->type->holds_ticket)
        stage(cargo);
    if (is_one_piece || cargo->buffer || is_ours_to_place(data))
        return WEFT_MPI_SEEN;
    weft_mpi_cargo_close(cargo);
    return WEFT_MPI_NOWHERE;
}

/* In one piece, by a type of the program's, and MPI has made nothing of it yet. */
static bool is_as_bytes(const struct weft_mpi_args *args, const struct weft_mpi_cargo *cargo)
{
    return !cargo->data.type && cargo->data.bytes <= INT_MAX && !args->is_made &&
           !weft_mpi_type_is_basic(args->type);
}

struct weft_mpi_args weft_mpi_cargo_args(const struct weft_mpi_args *args,
                                         const struct weft_mpi_cargo *cargo)
{
    if (!cargo->buffer)
        return is_as_bytes(args, cargo)
                   ? weft_mpi_args_of_bytes(args, cargo->data.buffer, cargo->data.bytes)
                   : *args;
    struct weft_mpi_args instead = *args;
    instead.buffer = cargo->buffer;
    instead.count = cargo->bytes.count;
    instead.type = cargo->bytes.type;
    instead.is_made = false;
    return instead;
}

void weft_mpi_cargo_close(struct weft_mpi_cargo *cargo)
{
    weft_mpi_buffer_give(cargo->buffer);
    cargo->buffer = NULL;
    weft_mpi_bytes_close(&cargo->bytes);
    weft_mpi_type_drop(cargo->measure);
    cargo->measure = NULL;
    weft_mpi_data_close(&cargo->data);
}

/* ---- What has come ------------------------------------------------------------------------- */

/* Bytes that lie together, wherever that is; NULL if they are in their layout. */
static void *bytes_of(const struct weft_mpi_cargo *cargo)
{
    if (cargo->buffer)
        return cargo->buffer;
    return cargo->data.type ? NULL : cargo->data.buffer;
}

/* A ticket in memory of a device will be written over by MPI. */
static bool fetch_ticket(const struct weft_mpi_data *data, const MPI_Status *status,
                         struct weft_mpi_ticket *ticket)
{
    return weft_mpi_fetch(data->buffer, sizeof *ticket, MPI_BYTE, ticket, sizeof *ticket) ==
               MPI_SUCCESS &&
           weft_mpi_is_ticket(status, ticket);
}

/* A receive that fails may leave what was there before: a ticket must not be found twice. Of one
 * that it had no room for MPI has told the program already. */
bool weft_mpi_cargo_ticket(const struct weft_mpi_cargo *cargo, const MPI_Status *status,
                           struct weft_mpi_ticket *ticket)
{
    static const unsigned char nothing[sizeof weft_mpi.secret];
    const struct weft_mpi_data *data = &cargo->data;
    void *bytes = bytes_of(cargo);
    bool is_cut = data->bytes < weft_mpi.ticket_size;
    if (is_cut || !weft_mpi_may_be_ticket(status))
        return false;
    if (bytes && data->is_device && !cargo->buffer)
        return fetch_ticket(data, status, ticket);
    if (bytes)
        memcpy(ticket, bytes, sizeof *ticket);
    else
        weft_pack(data->type->type, data->count, data->buffer, 0, ticket, sizeof *ticket);
    if (!weft_mpi_is_ticket(status, ticket))
        return false;
    if (cargo->awaited)
        weft_mpi_choice_came(cargo->awaited, true);
    if (bytes)
        memset(bytes, 0, sizeof nothing);
    else
        weft_unpack(data->type->type, data->count, data->buffer, 0, nothing, sizeof nothing);
    return true;
}

/* How many of the bytes that have come are to be delivered, see weft_mpi_type_whole. */
static size_t whole_of(const struct weft_mpi_cargo *cargo, size_t bytes)
{
    struct weft_mpi_type *type = cargo->data.type ? cargo->data.type : cargo->measure;
    return type ? weft_mpi_type_whole(type, bytes) : bytes;
}

static int class_of_end(int class, size_t bytes, size_t whole)
{
    return class == MPI_SUCCESS && whole < bytes ? MPI_ERR_TRUNCATE : class;
}

static int unpack(const struct weft_mpi_cargo *cargo, size_t bytes)
{
    const struct weft_mpi_data *data = &cargo->data;
    return data->type ? weft_mpi_data_unpack(data, cargo->buffer, bytes)
                      : weft_mpi_place(cargo->buffer, bytes, data->buffer, bytes, MPI_BYTE);
}

int weft_mpi_cargo_settle(const struct weft_mpi_cargo *cargo, const MPI_Status *status)
{
    size_t got = weft_mpi_bytes_of(status);
    if (cargo->awaited)
        weft_mpi_choice_came(cargo->awaited, false);
    if (!cargo->buffer && cargo->data.type)
        weft_mpi_count_received(cargo->data.type->form, WEFT_MPI_NATIVELY, got);
    /* What came by its type MPI has looked at. */
    if (!cargo->buffer)
        return cargo->measure ? class_of_end(MPI_SUCCESS, got, whole_of(cargo, got)) : MPI_SUCCESS;
    got = got < cargo->room ? got : cargo->room;
    size_t whole = whole_of(cargo, got);
    weft_mpi_count_received(cargo->data.type->form, WEFT_MPI_PACKED, got);
    return class_of_end(weft_mpi_data_unpack(&cargo->data, cargo->buffer, whole), got, whole);
}

/* ---- What a ticket stands for -------------------------------------------------------------- */

int weft_mpi_class_of(int error)
{
    switch (error) {
    case WEFT_OK:
        return MPI_SUCCESS;
    case WEFT_ERR_TRUNCATED:
        return MPI_ERR_TRUNCATE;
    case WEFT_ERR_MEMORY:
        return MPI_ERR_NO_MEM;
    default:
        return MPI_ERR_OTHER;
    }
}

size_t weft_mpi_cargo_bytes(const struct weft_mpi_cargo *cargo,
                            const struct weft_mpi_ticket *ticket)
{
    return ticket->bytes < cargo->data.bytes ? ticket->bytes : cargo->data.bytes;
}

/* As arguments of weft_take. There may be room for more than memory has, but no more is asked for
 * than comes. */
static struct weft_mpi_data target_of(const struct weft_mpi_cargo *cargo,
                                      const struct weft_mpi_ticket *ticket)
{
    struct weft_mpi_data target = cargo->data;
    if (!target.type || cargo->is_indirect)
        return (struct weft_mpi_data){.buffer = bytes_of(cargo),
                                      .bytes = weft_mpi_cargo_bytes(cargo, ticket)};
    if (ticket->bytes < target.bytes)
        target.count = (ticket->bytes - 1) / target.type->size + 1;
    return target;
}

int weft_mpi_cargo_take(struct weft_mpi_cargo *cargo, const struct weft_mpi_ticket *ticket,
                        weft_request **transfer)
{
    struct weft_mpi_data *data = &cargo->data;
    size_t bytes = weft_mpi_cargo_bytes(cargo, ticket);
    bool is_aside = data->is_device || whole_of(cargo, bytes) < bytes;
    if (is_aside && !cargo->buffer) {
        cargo->room = bytes;
        cargo->buffer = weft_mpi_buffer_take(cargo->room);
        if (!cargo->buffer)
            return MPI_ERR_NO_MEM;
    }
    cargo->is_indirect = cargo->buffer && (is_aside || !weft_mpi_type_understand(data->type) ||
                                           !data->type->is_receivable);
    const struct weft_mpi_data target = target_of(cargo, ticket);
    int error =
        weft_take(weft_mpi.net, weft_mpi_data_type(&target), weft_mpi_data_count(&target),
                  target.buffer, (int)ticket->sender, ticket->number, ticket->bytes, transfer);
    if (error == WEFT_ERR_BUSY)
        return WEFT_MPI_TRY_AGAIN;
    if (!error)
        weft_mpi_thread_count(1);
    return weft_mpi_class_of(error);
}

int weft_mpi_cargo_taken(const struct weft_mpi_cargo *cargo, const struct weft_mpi_ticket *ticket,
                         int class, uint64_t since)
{
    size_t bytes = weft_mpi_cargo_bytes(cargo, ticket), whole = whole_of(cargo, bytes);
    weft_mpi_data_count_pulled(&cargo->data, bytes, since);
    if (class == MPI_SUCCESS && cargo->is_indirect)
        class = unpack(cargo, whole);
    return class_of_end(class, bytes, whole);
}
