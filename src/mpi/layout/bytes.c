/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/layout/bytes.h"

#include <limits.h>

#define PART ((size_t)1 << 30)

/* All in one element: many large parts, and a rest. */
static int make_type(size_t size, MPI_Datatype *type)
{
    MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    int lengths[2] = {(int)(size / PART), (int)(size % PART)};
    MPI_Aint places[2] = {0, (MPI_Aint)(size / PART * PART)};
    int result = mpi.Type_contiguous((int)PART, MPI_BYTE, &parts[0]);
    if (result != MPI_SUCCESS)
        return result;
    result = mpi.Type_create_struct(2, lengths, places, parts, type);
    if (result == MPI_SUCCESS)
        result = mpi.Type_commit(type);
    mpi.Type_free(&parts[0]);
    return result;
}

int weft_mpi_bytes_open(size_t size, struct weft_mpi_bytes *bytes)
{
    bytes->is_own = false;
    bytes->count = size <= INT_MAX ? (int)size : 1;
    bytes->type = MPI_BYTE;
    if (size <= INT_MAX)
        return MPI_SUCCESS;
    if (size / PART > INT_MAX)
        return MPI_ERR_COUNT;
    int result = make_type(size, &bytes->type);
    bytes->is_own = result == MPI_SUCCESS;
    return result;
}

void weft_mpi_bytes_close(struct weft_mpi_bytes *bytes)
{
    /* Not past us: what was sent by it may be known as a type by its handle. */
    if (bytes->is_own)
        MPI_Type_free(&bytes->type);
    bytes->is_own = false;
}
