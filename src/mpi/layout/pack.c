/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pack and MPI_Unpack. What they write is the packed stream, in both libraries. */
#include "mpi/library/device.h"
#include "mpi/message/route.h"

static bool describe(const void *buffer, int64_t count, MPI_Datatype type,
                     struct weft_mpi_data *data)
{
    if (count <= 0 || weft_mpi_type_is_basic(type) ||
        weft_mpi_route_is_brief(buffer, count, type) ||
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

typedef bool mover(const struct weft_mpi_data *data, char *packed);

static bool pack(const struct weft_mpi_data *data, char *packed)
{
    if (weft_mpi_data_pack(data, packed) != MPI_SUCCESS)
        return false;
    weft_mpi_count_sent(data->type->form, WEFT_MPI_LOCAL, data->bytes);
    return true;
}

static bool unpack(const struct weft_mpi_data *data, char *packed)
{
    if (!data->type->is_receivable ||
        weft_mpi_data_unpack(data, packed, data->bytes) != MPI_SUCCESS)
        return false;
    weft_mpi_count_received(data->type->form, WEFT_MPI_LOCAL, data->bytes);
    return true;
}

/* The position behind what was moved; negative if MPI must do it. */
static int64_t move(mover *how, const void *buffer, int64_t count, MPI_Datatype type,
                    const void *packed, int64_t size, int64_t position)
{
    struct weft_mpi_data data;
    int64_t after = -1;
    if (!describe(buffer, count, type, &data))
        return -1;
    if (has_room(&data, packed, size, position) && how(&data, (char *)packed + position))
        after = position + (int64_t)data.bytes;
    weft_mpi_data_close(&data);
    return after;
}

#define DEFINE_MOVE(name, number, parameters, arguments, moved)                                   \
    int MPI_##name parameters                                                                     \
    {                                                                                             \
        int64_t after = position && WEFT_MPI_IS_OURS ? moved : -1;                                \
        if (after < 0)                                                                            \
            return mpi.name arguments;                                                            \
        *position = (number)after;                                                                \
        return MPI_SUCCESS;                                                                       \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

#define DEFINE_PACK(name, number, how)                                                            \
    DEFINE_MOVE(name, number,                                                                     \
                (const void *inbuf, number incount, MPI_Datatype datatype, void *outbuf,          \
                 number outsize, number *position, MPI_Comm comm),                                \
                (inbuf, incount, datatype, outbuf, outsize, position, comm),                      \
                move(how, inbuf, incount, datatype, outbuf, outsize, *position))

#define DEFINE_UNPACK(name, number, how)                                                          \
    DEFINE_MOVE(name, number,                                                                     \
                (const void *inbuf, number insize, number *position, void *outbuf,                \
                 number outcount, MPI_Datatype datatype, MPI_Comm comm),                          \
                (inbuf, insize, position, outbuf, outcount, datatype, comm),                      \
                move(how, outbuf, outcount, datatype, inbuf, insize, *position))

WEFT_MPI_BOTH_COUNTS(DEFINE_PACK, Pack, pack);
WEFT_MPI_BOTH_COUNTS(DEFINE_UNPACK, Unpack, unpack);
