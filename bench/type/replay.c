/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/type/replay.h"

#include <stdlib.h>

#include "bench/layouts/families.h"
#include "type/kernel.h"
#include "type/range.h"

/* One run, or a single piece if the run has no rows. */
struct step {
    struct weft_type_run run;
    struct weft_type_piece piece;
    char *packed;
};

struct replay {
    const struct weft_type_kernels *kernels;
    struct step *steps;
    size_t count, room;
};

struct recorder {
    struct weft_type_sink sink;
    struct replay *replay;
    char *packed;
};

static struct step *add_step(struct recorder *recorder, uint64_t bytes)
{
    struct replay *replay = recorder->replay;
    if (replay->count == replay->room) {
        size_t room = replay->room ? 2 * replay->room : 64;
        struct step *grown = bench_allocate(room * sizeof(*grown));
        for (size_t i = 0; i < replay->count; i++)
            grown[i] = replay->steps[i];
        free(replay->steps);
        replay->steps = grown;
        replay->room = room;
    }
    struct step *step = &replay->steps[replay->count++];
    *step = (struct step){.packed = recorder->packed};
    recorder->packed += bytes;
    return step;
}

static bool record_piece(struct weft_type_sink *sink, weft_type_address mem, uint64_t length)
{
    add_step((struct recorder *)sink, length)->piece = (struct weft_type_piece){mem, length};
    return true;
}

static bool record_run(struct weft_type_sink *sink, const struct weft_type_run *run)
{
    add_step((struct recorder *)sink, run->rows * run->row_bytes)->run = *run;
    return true;
}

struct replay *replay_record(const struct job *job, made_type type)
{
    struct replay *replay = bench_allocate(sizeof(*replay));
    *replay =
        (struct replay){.kernels = weft_type_kernels(
                            job->direction == GATHER ? WEFT_TYPE_GATHER : WEFT_TYPE_SCATTER)};
    for (size_t i = 0; i < job->offset_count; i++) {
        struct recorder recorder = {
            {record_piece, record_run}, replay, job->packed + job->offsets[i]};
        weft_type_range_walk((const weft_type *)type, job->layout->count,
                             job->window + job->layout->origin, job->offsets[i], job->range,
                             &recorder.sink);
    }
    return replay;
}

void replay_run(const struct replay *replay)
{
    for (size_t i = 0; i < replay->count; i++) {
        const struct step *step = &replay->steps[i];
        if (step->run.rows)
            weft_type_kernels_move(replay->kernels, step->packed, &step->run);
        else
            replay->kernels->piece(step->packed, step->piece.mem, step->piece.length);
    }
}

void replay_free(struct replay *replay)
{
    if (replay)
        free(replay->steps);
    free(replay);
}
