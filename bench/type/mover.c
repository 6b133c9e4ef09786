/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/type/mover.h"

#include <string.h>

#include <weft.h>

#ifdef WEFT_BENCH_MPI
#include <mpi.h>
#endif

#include "bench/harness/measure.h"
#include "bench/type/replay.h"

static char *first_element(const struct job *job)
{
    return job->window + job->layout->origin;
}

static void copy_plainly(const struct job *job, size_t offset, size_t length)
{
    if (job->direction == GATHER)
        memcpy(job->packed + offset, job->window + offset, length);
    else
        memcpy(job->window + offset, job->packed + offset, length);
}

static void run_memcpy(void *context)
{
    const struct job *job = ((const struct mover *)context)->job;
    if (!job->range)
        copy_plainly(job, 0, job->bytes);
    for (size_t i = 0; i < job->offset_count; i++)
        copy_plainly(job, job->offsets[i], job->range);
}

static void run_hand(void *context)
{
    const struct mover *mover = context;
    const struct job *job = mover->job;
    if (!job->range)
        hand_move(&mover->loop, first_element(job), job->packed);
    for (size_t i = 0; i < job->offset_count; i++)
        hand_move_range(&mover->loop, first_element(job), job->packed + job->offsets[i],
                        job->offsets[i], job->range);
}

static void move_by_weft(const struct mover *mover, size_t offset, size_t length)
{
    const struct job *job = mover->job;
    const weft_type *type = (const weft_type *)mover->type;
    if (job->direction == GATHER)
        weft_pack(type, job->layout->count, first_element(job), offset, job->packed + offset,
                  length);
    else
        weft_unpack(type, job->layout->count, first_element(job), offset, job->packed + offset,
                    length);
}

static void run_weft(void *context)
{
    const struct mover *mover = context;
    const struct job *job = mover->job;
    if (!job->range)
        move_by_weft(mover, 0, job->bytes);
    for (size_t i = 0; i < job->offset_count; i++)
        move_by_weft(mover, job->offsets[i], job->range);
}

static void run_replay(void *context)
{
    replay_run(((const struct mover *)context)->replay);
}

struct mover mover_memcpy(const struct job *job)
{
    return (struct mover){.name = "memcpy", .run = run_memcpy, .job = job};
}

struct mover mover_hand(const struct job *job, const struct hand_loop *loop)
{
    return (struct mover){.name = "the hand loop", .run = run_hand, .job = job, .loop = *loop};
}

struct mover mover_weft(const struct job *job, made_type type)
{
    return (struct mover){.name = "Weft", .run = run_weft, .job = job, .type = type};
}

struct mover mover_replay(const struct job *job, const struct replay *replay)
{
    return (struct mover){
        .name = "Weft's kernels", .run = run_replay, .job = job, .replay = replay};
}

#ifdef WEFT_BENCH_MPI
static void move_by_mpi(const struct mover *mover, size_t first, size_t count)
{
    const struct job *job = mover->job;
    const struct layout *layout = job->layout;
    char *mem = first_element(job) + first * layout->extent;
    char *packed = job->packed + first * layout->size;
    int bytes = (int)(count * layout->size), position = 0;
    MPI_Datatype type = (MPI_Datatype)mover->type;
    if (job->direction == GATHER)
        MPI_Pack(mem, (int)count, type, packed, bytes, &position, MPI_COMM_SELF);
    else
        MPI_Unpack(packed, bytes, &position, mem, (int)count, type, MPI_COMM_SELF);
}

static void run_mpi(void *context)
{
    const struct mover *mover = context;
    const struct job *job = mover->job;
    if (!job->range)
        move_by_mpi(mover, 0, job->layout->count);
    for (size_t i = 0; i < job->offset_count; i++)
        move_by_mpi(mover, job->offsets[i] / job->range, 1);
}

struct mover mover_mpi(const struct job *job, made_type type)
{
    return (struct mover){.name = "MPI", .run = run_mpi, .job = job, .type = type};
}
#endif

#define FLUSHED_PIECES 256

static void flush_pieces(const struct job *job, const weft_type *type)
{
    struct iovec pieces[FLUSHED_PIECES];
    size_t offset = 0, used = 0, bytes = 0;
    while (offset < job->bytes &&
           weft_iov(type, job->layout->count, first_element(job), offset, job->bytes - offset,
                    pieces, FLUSHED_PIECES, &used, &bytes) == WEFT_OK) {
        for (size_t i = 0; i < used; i++)
            measure_flush(pieces[i].iov_base, pieces[i].iov_len);
        offset += bytes;
    }
}

void job_flush(const struct job *job, made_type type)
{
    measure_flush(job->packed, job->bytes);
    size_t window = layout_window(job->layout);
    if (!type || window / 4 < job->bytes)
        measure_flush(job->window, window);
    else
        flush_pieces(job, (const weft_type *)type);
    measure_flush_end();
}
