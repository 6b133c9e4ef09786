/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the report compares with: how long MPI's own engine takes for a type, and ours. Both pack
 * and unpack the same memory in turns, once, when the type is first seen and a report is wanted,
 * as long as that takes little time.
 */
#include <stdlib.h>

#include "mpi/layout/type.h"
#include "mpi/report/counter.h"

#define BYTES ((size_t)64 << 10) /* of the packed stream, about */
#define MOST ((size_t)64 << 20)  /* of memory */
enum { TURNS = 5 };
/* Nanoseconds for all types together: a program that makes a new one for every message must not
 * wait for its report. */
#define BUDGET 50000000u
static atomic_ullong spent;

struct trial {
    MPI_Datatype handle;
    const weft_type *type;
    size_t count, bytes;
    char *memory, *packed;
    void *base; /* so that the type's bytes lie in `memory` */
};

static bool open_trial(struct trial *trial, MPI_Datatype handle, const weft_type *type)
{
    struct weft_type_info info;
    if (weft_type_query(type, &info, sizeof info) != WEFT_OK || info.size == 0 ||
        info.extent < 0 || info.size > INT32_MAX)
        return false;
    size_t count = info.size < BYTES ? BYTES / info.size : 1;
    size_t spread = (size_t)info.true_extent + (count - 1) * (size_t)info.extent;
    if (spread > MOST)
        return false;
    *trial = (struct trial){.handle = handle,
                            .type = type,
                            .count = count,
                            .bytes = count * info.size,
                            .memory = calloc(1, spread),
                            .packed = calloc(1, count * info.size)};
    trial->base = (void *)((uintptr_t)trial->memory - (uintptr_t)info.true_lb);
    return trial->memory && trial->packed;
}

static uint64_t time_native(const struct trial *trial)
{
    uint64_t since = weft_mpi_clock();
    int position = 0, count = (int)trial->count, bytes = (int)trial->bytes;
    mpi.Pack(trial->base, count, trial->handle, trial->packed, bytes, &position, weft_mpi.self);
    position = 0;
    mpi.Unpack(trial->packed, bytes, &position, trial->base, count, trial->handle, weft_mpi.self);
    return weft_mpi_clock() - since;
}

static uint64_t time_own(const struct trial *trial)
{
    uint64_t since = weft_mpi_clock();
    weft_pack(trial->type, trial->count, trial->base, 0, trial->packed, trial->bytes);
    weft_unpack(trial->type, trial->count, trial->base, 0, trial->packed, trial->bytes);
    return weft_mpi_clock() - since;
}

/* The least of some turns: the first pays for fresh memory. */
static void compare(const struct trial *trial, struct weft_mpi_form *form)
{
    uint64_t native = UINT64_MAX, own = UINT64_MAX;
    for (unsigned i = 0; i < TURNS; i++) {
        uint64_t theirs = time_native(trial), ours = time_own(trial);
        native = theirs < native ? theirs : native;
        own = ours < own ? ours : own;
    }
    form->native_pace = (double)native / (double)trial->bytes;
    form->own_pace = (double)own / (double)trial->bytes;
}

void weft_mpi_measure(struct weft_mpi_form *form, MPI_Datatype handle)
{
    struct trial trial = {0};
    if (form->own_pace > 0 || spent > BUDGET)
        return;
    uint64_t since = weft_mpi_clock();
    if (open_trial(&trial, handle, form->type))
        compare(&trial, form);
    free(trial.memory);
    free(trial.packed);
    weft_mpi_count_time(&spent, since);
}
