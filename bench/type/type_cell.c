/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/type/type_cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/harness/measure.h"
#include "bench/harness/random.h"
#include "bench/layouts/families.h"
#include "bench/type/mover.h"
#include "bench/type/replay.h"

#define MAX_RANGES 32

/* Of the time for a cell, the share spent on finding the fastest hand loop. */
#define CHOOSING_SHARE 0.25

static const size_t target_bytes[] = {
    [TYPE_2K] = 65536, [TYPE_64K] = 65536, [TYPE_4M] = (size_t)4 << 20};

struct cell {
    const struct cell_request *request;
    struct layout layout;
    struct job job;
    size_t offsets[MAX_RANGES];
    made_type type;

    /* What an MPI moves; another layout if the others move ranges. */
    bool has_mpi;
    struct layout mpi_layout;
    struct job mpi_job;
    size_t mpi_offsets[MAX_RANGES];
    made_type mpi_type;
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Ranges at multiples of their size, spread over the message, in shuffled order. */
static void choose_ranges(struct cell *cell)
{
    size_t there = cell->job.bytes / CELL_RANGE_BYTES;
    size_t count = there < MAX_RANGES ? there : MAX_RANGES;
    struct random random = {there};
    int32_t order[MAX_RANGES];
    for (size_t i = 0; i < count; i++)
        order[i] = (int32_t)i;
    random_shuffle(&random, order, count);
    for (size_t i = 0; i < count; i++)
        cell->offsets[i] = (size_t)order[i] * there / count * CELL_RANGE_BYTES;
    cell->job.range = CELL_RANGE_BYTES;
    cell->job.offsets = cell->offsets;
    cell->job.offset_count = count;
}

static const char *why_not(const struct cell_request *request, const struct layout *layout)
{
    if (request->size == TYPE_2K && layout_bytes(layout) < CELL_RANGE_BYTES)
        return "the message is shorter than 2 KiB";
    if (request->size != TYPE_4M || layout_entry_is_parametric(request->entry))
        return NULL;
    struct layout smaller;
    layout_build(request->entry, target_bytes[TYPE_64K], &smaller);
    bool same = smaller.count == layout->count;
    layout_clear(&smaller);
    return same ? "the message is the same as at 64K" : NULL;
}

#ifdef WEFT_BENCH_MPI
/* An element for each range, in the same order. */
static void give_elements(struct cell *cell)
{
    size_t count = cell->job.offset_count, size = cell->mpi_layout.size;
    cell->mpi_layout.count = count;
    cell->mpi_job.range = size;
    cell->mpi_job.offsets = cell->mpi_offsets;
    for (size_t i = 0; i < count; i++)
        cell->mpi_offsets[i] = cell->offsets[i] / CELL_RANGE_BYTES * size;
}
#endif

static void open_mpi_side(struct cell *cell)
{
#ifdef WEFT_BENCH_MPI
    const struct cell_request *request = cell->request;
    bool ranges = request->size == TYPE_2K;
    cell->has_mpi = !ranges || layout_entry_is_parametric(request->entry);
    if (!cell->has_mpi)
        return;
    layout_build(request->entry, ranges ? CELL_RANGE_BYTES : target_bytes[request->size],
                 &cell->mpi_layout);
    cell->mpi_job = cell->job;
    cell->mpi_job.layout = &cell->mpi_layout;
    if (ranges)
        give_elements(cell);
    cell->mpi_job.bytes = layout_bytes(&cell->mpi_layout);
    cell->mpi_type = layout_make(&cell->mpi_layout, &maker_mpi);
#else
    (void)cell;
#endif
}

static void open_cell(struct cell *cell)
{
    const struct cell_request *request = cell->request;
    cell->job = (struct job){.layout = &cell->layout,
                             .direction = request->direction,
                             .bytes = layout_bytes(&cell->layout)};
    if (request->size == TYPE_2K)
        choose_ranges(cell);
    cell->type = layout_make(&cell->layout, &maker_weft);
    open_mpi_side(cell);
    size_t window = layout_window(&cell->layout), bytes = cell->job.bytes;
    if (cell->has_mpi) {
        window = larger(window, layout_window(&cell->mpi_layout));
        bytes = larger(bytes, cell->mpi_job.bytes);
    }
    cell->job.window = cell->mpi_job.window = measure_map(window);
    cell->job.packed = cell->mpi_job.packed = measure_map(bytes);
    job_fill(&cell->job);
}

static void close_cell(struct cell *cell)
{
    size_t window = layout_window(&cell->layout), bytes = cell->job.bytes;
    if (cell->has_mpi) {
        window = larger(window, layout_window(&cell->mpi_layout));
        bytes = larger(bytes, cell->mpi_job.bytes);
    }
    munmap(cell->job.window, window);
    munmap(cell->job.packed, bytes);
    maker_weft.release(cell->type);
#ifdef WEFT_BENCH_MPI
    if (cell->has_mpi)
        maker_mpi.release(cell->mpi_type);
#endif
    layout_clear(&cell->mpi_layout);
    layout_clear(&cell->layout);
}

static void flush_cell(void *context)
{
    const struct cell *cell = context;
    job_flush(&cell->job, cell->type);
    if (cell->has_mpi && cell->job.range)
        job_flush(&cell->mpi_job, 0);
}

static struct measure_options options_for(struct cell *cell, double share)
{
    bool cold = cell->request->cold;
    return (struct measure_options){.seconds = cell->request->seconds * share,
                                    .before_each = cold ? flush_cell : NULL,
                                    .context = cell};
}

static struct mover choose_hand_loop(struct cell *cell)
{
    struct hand_loop loops[HAND_MAX_LOOPS];
    struct mover movers[HAND_MAX_LOOPS];
    struct measured runs[HAND_MAX_LOOPS];
    struct contestant contestants[HAND_MAX_LOOPS];
    size_t count = hand_loops(&cell->layout, cell->request->direction, loops);
    for (size_t i = 0; i < count; i++) {
        movers[i] = mover_hand(&cell->job, &loops[i]);
        mover_verify(&movers[i]);
        runs[i] = (struct measured){movers[i].run, &movers[i]};
    }
    if (count == 1)
        return movers[0];
    struct measure_options options = options_for(cell, CHOOSING_SHARE);
    measure(runs, contestants, count, &options);
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (contestants[i].median < contestants[best].median)
            best = i;
    return movers[best];
}

/* How many times the bytes that times are reported for are moved in one run. */
static double moves_in_run(const struct job *job)
{
    return job->range ? (double)(job->offset_count * job->range) / (double)CELL_RANGE_BYTES : 1;
}

enum { COPY, HAND, WEFT, REPLAY_OR_MPI, MOST_MOVERS = 5 };

static struct cell_time time_of(const struct contestant *contestant, double moves)
{
    return (struct cell_time){contestant->median / moves * 1e9, contestant->minimum / moves * 1e9};
}

/* Adds those movers that not every cell has. Returns the number of movers. */
static size_t add_other_movers(struct cell *cell, struct mover *movers,
                               const struct replay *replay)
{
    size_t count = REPLAY_OR_MPI;
    if (replay) {
        movers[count] = mover_replay(&cell->job, replay);
        mover_verify(&movers[count++]);
    }
#ifdef WEFT_BENCH_MPI
    if (cell->has_mpi) {
        movers[count] = mover_mpi(&cell->mpi_job, cell->mpi_type);
        job_fill(&cell->mpi_job);
        mover_verify(&movers[count++]);
    }
#endif
    return count;
}

static void conclude(const struct cell *cell, const struct contestant *contestants, size_t count,
                     struct cell_result *result)
{
    double moves = moves_in_run(&cell->job);
    const struct contestant *weft = &contestants[WEFT];
    result->rounds = weft->round_count;
    result->copy = time_of(&contestants[COPY], moves);
    result->hand = time_of(&contestants[HAND], moves);
    result->weft = time_of(weft, moves);
    result->weft_to_hand = contest_ratio(weft, &contestants[HAND]);
    if (cell->job.range)
        result->locating = 1 - contest_ratio(&contestants[REPLAY_OR_MPI], weft);
    if (cell->has_mpi) {
        double mpi_moves = moves_in_run(&cell->mpi_job);
        const struct contestant *mpi = &contestants[count - 1];
        result->mpi = time_of(mpi, mpi_moves);
        result->weft_to_mpi = contest_ratio(weft, mpi) / moves * mpi_moves;
    }
}

static void time_cell(struct cell *cell, struct cell_result *result)
{
    struct mover movers[MOST_MOVERS];
    struct measured runs[MOST_MOVERS];
    struct contestant contestants[MOST_MOVERS];
    movers[COPY] = mover_memcpy(&cell->job);
    movers[WEFT] = mover_weft(&cell->job, cell->type);
    mover_verify(&movers[WEFT]);
    movers[HAND] = choose_hand_loop(cell);
    struct replay *replay = cell->job.range ? replay_record(&cell->job, cell->type) : NULL;
    size_t count = add_other_movers(cell, movers, replay);
    for (size_t i = 0; i < count; i++)
        runs[i] = (struct measured){movers[i].run, &movers[i]};
    struct measure_options options = options_for(cell, 1 - CHOOSING_SHARE);
    measure(runs, contestants, count, &options);
    snprintf(result->way, sizeof(result->way), "%s", movers[HAND].loop.name);
    conclude(cell, contestants, count, result);
    replay_free(replay);
}

const char *cell_measure(const struct cell_request *request, struct cell_result *result)
{
    struct cell cell = {.request = request};
    layout_build(request->entry, target_bytes[request->size], &cell.layout);
    const char *reason = why_not(request, &cell.layout);
    if (reason) {
        layout_clear(&cell.layout);
        return reason;
    }
    memset(result, 0, sizeof(*result));
    open_cell(&cell);
    result->bytes = cell.job.range ? cell.job.range : cell.job.bytes;
    result->block = (double)cell.job.bytes / (double)layout_pieces(&cell.layout);
    time_cell(&cell, result);
    close_cell(&cell);
    return NULL;
}
