/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pack and MPI_Unpack. What they write is the packed stream, in both libraries. */
#include "mpi/library/device.h"
#include "mpi/message/route.h"

static bool describe(const void *buffer, int64_t count, MPI_Datatype type,
                     struct weft_mpi_data *data)
{
    if (count <= 0 || weft_mpi_type_is_basic(type) ||
        weft_mpi_data_open(buffer, count, type, data) != WEFT_MPI_FOUND)
        return false;
    if (!data->type->is_contiguous && !data->is_device && weft_mpi_type_is_known(data->type))
        return true;
    weft_mpi_data_close(data);
    return false;
}

/* MPI reports what does not fit, and moves what we may not touch. */
static bool has_room(const struct weft_mpi_data *data, const void *packed, int64_t size,
                     int64_t position)
{
    return position >= 0 && position <= size && data->bytes <= (size_t)(size - position) &&
           !weft_mpi_is_device(packed);
}

static bool pack(const struct weft_mpi_data *data, void *packed, int64_t size, int64_t position)
{
    if (!has_room(data, packed, size, position))
        return false;
    if (weft_mpi_data_pack(data, (char *)packed + position) != MPI_SUCCESS)
        return false;
    weft_mpi_count_sent(data->type->form, WEFT_MPI_LOCAL, data->bytes);
    return true;
}

static bool unpack(const struct weft_mpi_data *data, const void *packed, int64_t size,
                   int64_t position)
{
    if (!data->type->is_receivable || !has_room(data, packed, size, position))
        return false;
    if (weft_mpi_data_unpack(data, (const char *)packed + position, data->bytes) != MPI_SUCCESS)
        return false;
    weft_mpi_count_received(data->type->form, WEFT_MPI_LOCAL, data->bytes);
    return true;
}

#define DEFINE_PACK(name, number)                                                                 \
    int MPI_##name(const void *inbuf, number incount, MPI_Datatype datatype, void *outbuf,        \
                   number outsize, number *position, MPI_Comm comm)                               \
    {                                                                                             \
        struct weft_mpi_data data;                                                                \
        bool is_done = false;                                                                     \
        if (WEFT_MPI_IS_OURS && describe(inbuf, incount, datatype, &data)) {                      \
            is_done = pack(&data, outbuf, outsize, *position);                                    \
            if (is_done)                                                                          \
                *position += (number)data.bytes;                                                  \
            weft_mpi_data_close(&data);                                                           \
        }                                                                                         \
        return is_done ? MPI_SUCCESS                                                              \
                       : mpi.name(inbuf, incount, datatype, outbuf, outsize, position, comm);     \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

#define DEFINE_UNPACK(name, number)                                                               \
    int MPI_##name(const void *inbuf, number insize, number *position, void *outbuf,              \
                   number outcount, MPI_Datatype datatype, MPI_Comm comm)                         \
    {                                                                                             \
        struct weft_mpi_data data;                                                                \
        bool is_done = false;                                                                     \
        if (WEFT_MPI_IS_OURS && describe(outbuf, outcount, datatype, &data)) {                    \
            is_done = unpack(&data, inbuf, insize, *position);                                    \
            if (is_done)                                                                          \
                *position += (number)data.bytes;                                                  \
            weft_mpi_data_close(&data);                                                           \
        }                                                                                         \
        return is_done ? MPI_SUCCESS                                                              \
                       : mpi.name(inbuf, insize, position, outbuf, outcount, datatype, comm);     \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

DEFINE_PACK(Pack, int);
DEFINE_UNPACK(Unpack, int);
DEFINE_PACK(Pack_c, MPI_Count);
DEFINE_UNPACK(Unpack_c, MPI_Count);
