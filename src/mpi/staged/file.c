/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files: memory that lies apart is read and written as the bytes that it is. What a file holds
 * where stays MPI's, by the view of the file.
 */
#include "mpi/staged/file.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/guard.h"
#include "mpi/message/operation.h"
#include "mpi/record/absent.h"
#include "mpi/report/native.h"
#include "mpi/report/slice.h"
#include "mpi/staged/stage.h"

/* ---- Other representations ----------------------------------------------------------------- */

/* Files whose bytes are not those of memory: what MPI does to them depends on their types. */
struct foreign {
    struct foreign *next;
    MPI_File file;
};

static struct foreign *foreigners;
static atomic_uint foreign_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The lock is held. */
static struct foreign **place_of(MPI_File file)
{
    struct foreign **at = &foreigners;
    while (*at && (*at)->file != file)
        at = &(*at)->next;
    return at;
}

static bool is_foreign(MPI_File file)
{
    if (atomic_load_explicit(&foreign_count, memory_order_relaxed) == 0)
        return false;
    weft_mpi_lock(&lock);
    bool is_there = *place_of(file) != NULL;
    weft_mpi_unlock(&lock);
    return is_there;
}

static void forget(MPI_File file)
{
    weft_mpi_lock(&lock);
    struct foreign **at = place_of(file), *foreign = *at;
    if (foreign) {
        *at = foreign->next;
        weft_mpi_add(&foreign_count, -1);
    }
    weft_mpi_unlock(&lock);
    free(foreign);
}

/* False without memory. */
static bool remember(MPI_File file)
{
    struct foreign *foreign = malloc(sizeof *foreign);
    if (!foreign)
        return false;
    foreign->file = file;
    weft_mpi_lock(&lock);
    foreign->next = foreigners;
    foreigners = foreign;
    weft_mpi_add(&foreign_count, 1);
    weft_mpi_unlock(&lock);
    return true;
}

int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                      const char *datarep, MPI_Info info)
{
    int result = mpi.File_set_view(fh, disp, etype, filetype, datarep, info);
    if (result != MPI_SUCCESS)
        return result;
    forget(fh);
    bool is_known = strcmp(datarep, "native") == 0 || remember(fh);
    return is_known ? result : weft_mpi_raise_no_memory(weft_mpi.self);
}
WEFT_MPI_ALSO_PMPI(File_set_view);

int MPI_File_close(MPI_File *fh)
{
    if (fh)
        forget(*fh);
    return mpi.File_close(fh);
}
WEFT_MPI_ALSO_PMPI(File_close);

/* ---- Reading and writing ------------------------------------------------------------------- */

bool weft_mpi_file_open_memory(MPI_File file, const void *buffer, int64_t count, MPI_Datatype type,
                               bool is_in, bool is_blocking, struct weft_mpi_cargo *cargo)
{
    if (weft_mpi_route_is_of_mpi(count, type) || is_foreign(file) ||
        !weft_mpi_stage_open(buffer, count, type, is_in, cargo))
        return false;
    const struct weft_mpi_pattern pattern = {.is_send = !is_in, .is_blocking = is_blocking};
    if (weft_mpi_data_is_staged(&cargo->data, WEFT_MPI_OF_FILE, pattern))
        return weft_mpi_stage_load(cargo);
    weft_mpi_cargo_close(cargo);
    return false;
}

#define WAITS_ARE_BLOCKING true
#define WAITS_END(is_in) weft_mpi_stage_end(&cargo, is_in, result)
#define REQUESTS_ARE_BLOCKING false
#define REQUESTS_END(is_in) weft_mpi_stage_follow(&cargo, is_in, result, request)

#define DEFINE(name, memory, number, native, PLACE, END, is_in)                                   \
    int MPI_##name(WEFT_MPI_FILE_PARAMETERS(PLACE, memory, number, END))                          \
    {                                                                                             \
        struct weft_mpi_cargo cargo;                                                              \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(WEFT_MPI_##PLACE##_ARGUMENTS, buf, count,                             \
                            datatype WEFT_MPI_##END##_ARGUMENTS);                                 \
        if (!weft_mpi_file_open_memory(fh, buf, count, datatype, is_in, END##_ARE_BLOCKING,       \
                                       &cargo))                                                   \
            return native(WEFT_MPI_##PLACE##_ARGUMENTS, buf, count,                               \
                          datatype WEFT_MPI_##END##_ARGUMENTS);                                   \
        weft_mpi_absent_pass("MPI_" #name);                                                       \
        uint64_t since = weft_mpi_slice_begin();                                                  \
        int result = mpi.name(WEFT_MPI_##PLACE##_ARGUMENTS, cargo.buffer,                         \
                              (number)cargo.data.bytes, MPI_BYTE WEFT_MPI_##END##_ARGUMENTS);     \
        result = END##_END(is_in);                                                                \
        weft_mpi_slice_end(WEFT_MPI_SLICE_##name, since);                                         \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

#define DEFINE_BOTH_WAYS(READ, WRITE, PLACE, END)                                                 \
    DEFINE(READ, void *, int, weft_mpi_native_##READ, PLACE, END, true)                           \
    DEFINE(READ##_c, void *, MPI_Count, mpi.READ##_c, PLACE, END, true)                           \
    DEFINE(WRITE, const void *, int, weft_mpi_native_##WRITE, PLACE, END, false)                  \
    DEFINE(WRITE##_c, const void *, MPI_Count, mpi.WRITE##_c, PLACE, END, false)

WEFT_MPI_FILE_CALLS(DEFINE_BOTH_WAYS)
