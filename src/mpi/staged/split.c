/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and writes in two halves: what the first has packed is kept for the second. A file has one
 * such call under way at most.
 */
#include <stdlib.h>

#include "mpi/guard.h"
#include "mpi/record/absent.h"
#include "mpi/report/native.h"
#include "mpi/report/slice.h"
#include "mpi/staged/file.h"
#include "mpi/staged/stage.h"

struct half {
    struct half *next;
    MPI_File file;
    bool is_in;
    struct weft_mpi_cargo cargo;
};

static struct half *halves;
static atomic_uint half_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* NULL if MPI gets the memory as it is. */
static struct half *open_half(MPI_File file, const void *buffer, int64_t count, MPI_Datatype type,
                              bool is_in)
{
    struct half half = {.file = file, .is_in = is_in};
    if (!weft_mpi_file_open_memory(file, buffer, count, type, is_in, false, &half.cargo))
        return NULL;
    struct half *kept = malloc(sizeof *kept);
    if (kept)
        *kept = half;
    else
        weft_mpi_cargo_close(&half.cargo);
    return kept;
}

static void keep(struct half *half)
{
    weft_mpi_lock(&lock);
    half->next = halves;
    halves = half;
    weft_mpi_add(&half_count, 1);
    weft_mpi_unlock(&lock);
}

/* NULL if MPI has the memory as it is. */
static struct half *take(MPI_File file)
{
    if (atomic_load_explicit(&half_count, memory_order_relaxed) == 0)
        return NULL;
    weft_mpi_lock(&lock);
    struct half **at = &halves;
    while (*at && (*at)->file != file)
        at = &(*at)->next;
    struct half *half = *at;
    if (half) {
        *at = half->next;
        weft_mpi_add(&half_count, -1);
    }
    weft_mpi_unlock(&lock);
    return half;
}

static int end(struct half *half, int result)
{
    result = weft_mpi_stage_end(&half->cargo, half->is_in, result);
    free(half);
    return result;
}

static int begin(struct half *half, int result)
{
    if (result != MPI_SUCCESS)
        return end(half, result);
    keep(half);
    return result;
}

/* ---- The calls ----------------------------------------------------------------------------- */

#define DEFINE_BEGIN(name, memory, number, native, PLACE, is_in)                                  \
    int MPI_##name(WEFT_MPI_FILE_PARAMETERS(PLACE, memory, number, BEGINS))                       \
    {                                                                                             \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(WEFT_MPI_##PLACE##_ARGUMENTS, buf, count, datatype);                  \
        struct half *half = open_half(fh, buf, count, datatype, is_in);                           \
        if (!half)                                                                                \
            return native(WEFT_MPI_##PLACE##_ARGUMENTS, buf, count, datatype);                    \
        weft_mpi_absent_pass("MPI_" #name);                                                       \
        uint64_t since = weft_mpi_slice_begin();                                                  \
        int result = begin(half, mpi.name(WEFT_MPI_##PLACE##_ARGUMENTS, half->cargo.buffer,       \
                                          (number)half->cargo.data.bytes, MPI_BYTE));             \
        weft_mpi_slice_end(WEFT_MPI_SLICE_##name, since);                                         \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

#define DEFINE_END(name, memory)                                                                  \
    int MPI_##name(MPI_File fh, memory buf, MPI_Status *status)                                   \
    {                                                                                             \
        struct half *half = WEFT_MPI_IS_OURS ? take(fh) : NULL;                                   \
        return half ? end(half, mpi.name(fh, half->cargo.buffer, status))                         \
                    : mpi.name(fh, buf, status);                                                  \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

#define DEFINE_HALVES(name, memory, PLACE, is_in)                                                 \
    DEFINE_BEGIN(name##_begin, memory, int, weft_mpi_native_##name##_begin, PLACE, is_in)         \
    DEFINE_BEGIN(name##_begin_c, memory, MPI_Count, mpi.name##_begin_c, PLACE, is_in)             \
    DEFINE_END(name##_end, memory)

#define DEFINE_BOTH_WAYS(READ, WRITE, PLACE)                                                      \
    DEFINE_HALVES(READ, void *, PLACE, true)                                                      \
    DEFINE_HALVES(WRITE, const void *, PLACE, false)

WEFT_MPI_SPLIT_FILE_CALLS(DEFINE_BOTH_WAYS)
