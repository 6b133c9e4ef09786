/* SPDX-License-Identifier: BSD-3-Clause */
/* Before anything is timed: do the contenders move the same bytes? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/random.h"
#include "bench/layouts/families.h"
#include "bench/type/mover.h"

static void fill(char *memory, size_t bytes)
{
    struct random random = {bytes};
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = random_next(&random);
        memcpy(memory + i, &word, bytes - i < sizeof(word) ? bytes - i : sizeof(word));
    }
}

static void fail(const struct mover *mover)
{
    fprintf(stderr,
            "weft bench: %s %s something else than the hand loop does: this is a bug, please "
            "report it\n",
            mover->name, mover->job->direction == GATHER ? "packs" : "unpacks");
    exit(1);
}

/* The same job by the plainest loop, with a buffer of its own. */
static void move_plainly(const struct job *job)
{
    struct hand_loop loops[HAND_MAX_LOOPS];
    hand_loops(job->layout, job->direction, loops);
    struct mover plain = mover_hand(job, &loops[0]);
    plain.run(&plain);
}

/* What a gather did not touch has the same filling on both sides. */
static void verify_gather(struct mover *mover)
{
    struct job expected = *mover->job;
    expected.packed = bench_allocate(expected.bytes);
    memset(expected.packed, 0x5A, expected.bytes);
    memset(mover->job->packed, 0x5A, expected.bytes);
    move_plainly(&expected);
    mover->run(mover);
    if (memcmp(expected.packed, mover->job->packed, expected.bytes))
        fail(mover);
    free(expected.packed);
}

/* With all that lies between the pieces. */
static void verify_scatter(struct mover *mover)
{
    struct job expected = *mover->job;
    size_t window = layout_window(expected.layout);
    expected.window = bench_allocate(window);
    memset(expected.window, 0x5A, window);
    memset(mover->job->window, 0x5A, window);
    move_plainly(&expected);
    mover->run(mover);
    if (memcmp(expected.window, mover->job->window, window))
        fail(mover);
    free(expected.window);
}

static struct job whole_message(const struct job *job, enum direction direction, char *packed)
{
    struct job whole = *job;
    whole.range = 0;
    whole.offset_count = 0;
    whole.direction = direction;
    whole.packed = packed;
    return whole;
}

/* Only the pieces, by way of gathering them again. */
static void verify_scattered_pieces(struct mover *mover)
{
    const struct job *job = mover->job;
    char *expected = bench_allocate(job->bytes), *got = bench_allocate(job->bytes);
    memset(expected, 0x5A, job->bytes);
    struct job before = whole_message(job, SCATTER, expected);
    move_plainly(&before);
    mover->run(mover);
    if (!job->range)
        memcpy(expected, job->packed, job->bytes);
    for (size_t i = 0; i < job->offset_count; i++)
        memcpy(expected + job->offsets[i], job->packed + job->offsets[i], job->range);
    struct job after = whole_message(job, GATHER, got);
    move_plainly(&after);
    if (memcmp(expected, got, job->bytes))
        fail(mover);
    free(expected);
    free(got);
}

void job_fill(const struct job *job)
{
    fill(job->window, job->bytes);
    fill(job->packed, job->bytes);
    struct job whole = whole_message(job, SCATTER, job->packed);
    move_plainly(&whole);
}

/* Comparing larger windows would take longer than all the rest. */
#define WINDOW_TO_COMPARE ((size_t)4 << 20)

void mover_verify(struct mover *mover)
{
    if (mover->job->direction == GATHER)
        verify_gather(mover);
    else if (layout_window(mover->job->layout) <= WINDOW_TO_COMPARE)
        verify_scatter(mover);
    else
        verify_scattered_pieces(mover);
}
