/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/staged/stage.h"

#include "mpi/layout/buffer.h"
#include "mpi/message/operation.h"

/* A copy of more may be what the program has no memory for. */
#define MOST ((size_t)256 << 20)

bool weft_mpi_stage_open(const void *buffer, int64_t count, MPI_Datatype type, bool is_in,
                         struct weft_mpi_cargo *cargo)
{
    enum { SOMEBODY = 0 };
    *cargo = (struct weft_mpi_cargo){0};
    if (!weft_mpi_route_is_open(buffer, count, type, SOMEBODY, &cargo->data))
        return false;
    if (cargo->data.bytes <= MOST && (!is_in || cargo->data.type->is_receivable))
        return true;
    weft_mpi_cargo_close(cargo);
    return false;
}

bool weft_mpi_stage_make_room(struct weft_mpi_cargo *cargo)
{
    cargo->buffer = weft_mpi_buffer_take(cargo->data.bytes);
    if (cargo->buffer)
        return true;
    weft_mpi_count_reason(WEFT_MPI_NO_MEMORY);
    weft_mpi_cargo_close(cargo);
    return false;
}

bool weft_mpi_stage_load(struct weft_mpi_cargo *cargo)
{
    if (!weft_mpi_stage_make_room(cargo))
        return false;
    if (weft_mpi_data_pack(&cargo->data, cargo->buffer) == MPI_SUCCESS)
        return true;
    weft_mpi_cargo_close(cargo);
    return false;
}

static void count(const struct weft_mpi_data *data, bool is_in)
{
    if (is_in)
        weft_mpi_count_received(data->type->form, WEFT_MPI_PACKED, data->bytes);
    else
        weft_mpi_count_sent(data->type->form, WEFT_MPI_PACKED, data->bytes);
}

int weft_mpi_stage_end(struct weft_mpi_cargo *cargo, bool is_in, int result)
{
    if (result == MPI_SUCCESS)
        count(&cargo->data, is_in);
    if (result == MPI_SUCCESS && is_in)
        result = weft_mpi_data_unpack(&cargo->data, cargo->buffer, cargo->data.bytes);
    weft_mpi_cargo_close(cargo);
    return result;
}

static bool is_over(MPI_Request request)
{
    int flag = 0;
    return mpi.Request_get_status(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag;
}

/* Once it is begun, other threads may move it on: then its data must be there. If it cannot be,
 * the cargo stays the caller's. */
static int begin(struct weft_mpi_cargo *cargo, bool is_in, MPI_Request *request)
{
    struct weft_mpi_operation *operation = weft_mpi_operation_new(
        is_in ? WEFT_MPI_STAGED_IN : WEFT_MPI_STAGED_OUT, weft_mpi.self, NULL);
    if (!operation)
        return MPI_ERR_NO_MEM;
    operation->inner = *request;
    operation->cargo = *cargo;
    int result = weft_mpi_operation_begin_general(operation, request);
    if (result != MPI_SUCCESS) {
        operation->cargo = (struct weft_mpi_cargo){0};
        weft_mpi_operation_drop(operation);
    }
    return result;
}

/* Those that are over are not remembered. What cannot be, for want of memory, is waited for here:
 * then its status is lost. */
int weft_mpi_stage_follow(struct weft_mpi_cargo *cargo, bool is_in, int result,
                          MPI_Request *request)
{
    if (result != MPI_SUCCESS || is_over(*request))
        return weft_mpi_stage_end(cargo, is_in, result);
    MPI_Request inner = *request;
    if (begin(cargo, is_in, request) == MPI_SUCCESS) {
        count(&cargo->data, is_in);
        return result;
    }
    result = mpi.Wait(&inner, MPI_STATUS_IGNORE);
    *request = inner;
    return weft_mpi_stage_end(cargo, is_in, result);
}
