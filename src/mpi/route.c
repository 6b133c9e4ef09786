/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/route.h"

#include <limits.h>

#include "base/setting.h"
#include "mpi/peer.h"

bool weft_mpi_data_open(const void *buffer, int64_t count, MPI_Datatype handle,
                        struct weft_mpi_data *data)
{
    data->type = weft_mpi_type_find(handle);
    if (!data->type)
        return false;
    data->buffer = (void *)buffer;
    data->count = (size_t)count;
    if (!__builtin_mul_overflow(data->count, data->type->size, &data->bytes))
        return true;
    weft_mpi_data_close(data);
    return false;
}

void weft_mpi_data_close(struct weft_mpi_data *data)
{
    weft_mpi_type_drop(data->type);
    data->type = NULL;
}

/* Whoever is far away may be sent shorter ones packed: a receiver is ready for both. */
static bool is_short_for(int in_job, size_t bytes)
{
    return in_job >= 0 && bytes <= weft_setting(WEFT_SETTING_FAR_TICKET) &&
           !weft_mpi_is_near(in_job);
}

/* The lowest reason why it cannot go by ticket. */
static bool may_go_by_ticket(size_t bytes, int peer, MPI_Comm comm, enum weft_mpi_mode mode)
{
    enum weft_mpi_reason reason;
    if (bytes <= weft_mpi.least_pulled)
        return false;
    int in_job = weft_mpi.net ? weft_mpi_peer(comm, peer) : -1;
    if (is_short_for(in_job, bytes))
        return false;
    if (!weft_mpi.net)
        reason = WEFT_MPI_NO_NET;
    else if (mode == WEFT_MPI_BUFFERED || mode == WEFT_MPI_SYNCHRONOUS)
        reason = WEFT_MPI_SYNCHRONOUS_SEND;
    else if (in_job < 0)
        reason = WEFT_MPI_STRANGER;
    else if (in_job == weft_mpi.rank)
        reason = WEFT_MPI_SELF;
    else
        return true;
    weft_mpi_count_reason(reason);
    return false;
}

enum weft_mpi_route weft_mpi_route_send(const void *buffer, int64_t count, MPI_Datatype type,
                                        int peer, MPI_Comm comm, enum weft_mpi_mode mode,
                                        struct weft_mpi_data *data)
{
    if (peer == MPI_PROC_NULL || count <= 0 || weft_mpi_type_is_basic(type))
        return WEFT_MPI_NATIVE;
    if (!weft_mpi_data_open(buffer, count, type, data)) {
        weft_mpi_count_reason(WEFT_MPI_UNKNOWN_TYPE);
        return WEFT_MPI_NATIVE;
    }
    if (data->type->is_new)
        weft_mpi_count_reason(WEFT_MPI_NEW_TYPE);
    if (data->type->is_new || weft_mpi_type_is_one_piece(data->type, count) || data->bytes == 0 ||
        data->bytes > INT_MAX) {
        weft_mpi_data_close(data);
        return WEFT_MPI_NATIVE;
    }
    return may_go_by_ticket(data->bytes, peer, comm, mode) ? WEFT_MPI_BY_TICKET
                                                           : WEFT_MPI_BY_BUFFER;
}

bool weft_mpi_route_receive(void *buffer, int64_t count, MPI_Datatype type, int peer,
                            struct weft_mpi_data *data)
{
    if (peer == MPI_PROC_NULL || count <= 0 || weft_mpi_is_short(count, type))
        return false;
    if (!weft_mpi_data_open(buffer, count, type, data)) {
        weft_mpi_count_reason(WEFT_MPI_UNKNOWN_TYPE);
        return false;
    }
    bool is_contiguous = weft_mpi_type_is_one_piece(data->type, count);
    bool is_possible = data->type->is_receivable && data->bytes > 0 && data->bytes <= INT_MAX;
    if (!data->type->is_receivable)
        weft_mpi_count_reason(WEFT_MPI_OVERLAPPING);
    if (is_possible && !(is_contiguous && data->bytes <= weft_mpi.least_pulled)) {
        if (is_contiguous)
            weft_mpi_data_close(data);
        return true;
    }
    weft_mpi_data_close(data);
    return false;
}

/* ---- Moving -------------------------------------------------------------------------------- */

/* MPI moves the data of a new type, unless it would have to cut an element, or the buffer is
 * MPI_BOTTOM, which MPICH takes for a mistake here; and all data of types that only it knows. */
static bool is_moved_by_mpi(const struct weft_mpi_data *data, size_t bytes)
{
    bool is_simple = bytes == data->bytes && data->buffer != MPI_BOTTOM;
    return !weft_mpi_type_is_known(data->type) &&
           (is_simple || !weft_mpi_type_understand(data->type));
}

void weft_mpi_data_pack(const struct weft_mpi_data *data, void *packed)
{
    uint64_t since = weft_mpi_clock();
    int position = 0;
    if (is_moved_by_mpi(data, data->bytes))
        mpi.Pack(data->buffer, (int)data->count, data->type->handle, packed, (int)data->bytes,
                 &position, weft_mpi.comm);
    else
        weft_pack(data->type->type, data->count, data->buffer, 0, packed, data->bytes);
    if (data->type->form)
        weft_mpi_count_time(&data->type->form->gather, since);
}

void weft_mpi_data_unpack(const struct weft_mpi_data *data, const void *packed, size_t bytes)
{
    uint64_t since = weft_mpi_clock();
    int position = 0;
    if (is_moved_by_mpi(data, bytes))
        mpi.Unpack(packed, (int)bytes, &position, data->buffer, (int)(bytes / data->type->size),
                   data->type->handle, weft_mpi.comm);
    else
        weft_unpack(data->type->type, data->count, data->buffer, 0, packed, bytes);
    if (data->type->form)
        weft_mpi_count_time(&data->type->form->scatter, since);
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

void weft_mpi_data_count_pulled(const struct weft_mpi_data *data, size_t bytes, uint64_t since)
{
    if (!data->type)
        return;
    weft_mpi_count_received(data->type->form, WEFT_MPI_PULLED, bytes);
    if (data->type->form)
        weft_mpi_count_time(&data->type->form->wait, since);
}
