/* SPDX-License-Identifier: BSD-3-Clause */
/* The contenders: each moves the same ranges of the same message between the same buffers. */
#ifndef WEFT_BENCH_TYPE_MOVER_H
#define WEFT_BENCH_TYPE_MOVER_H

#include "bench/layouts/hand.h"

/* A message, and its ranges to move: `range` bytes at each offset, or all of it. */
struct job {
    const struct layout *layout;
    enum direction direction;
    char *window; /* layout_window() bytes */
    char *packed; /* layout_bytes() bytes */
    size_t bytes;
    size_t range; /* 0: move the whole message. For an MPI, an element */
    const size_t *offsets;
    size_t offset_count;
};

struct replay;

struct mover {
    const char *name;
    void (*run)(void *mover);
    const struct job *job;
    made_type type;
    struct hand_loop loop;
    const struct replay *replay;
};

struct mover mover_memcpy(const struct job *job);
struct mover mover_hand(const struct job *job, const struct hand_loop *loop);
struct mover mover_weft(const struct job *job, made_type type);

/* Weft's kernels on ranges whose places are known. */
struct mover mover_replay(const struct job *job, const struct replay *replay);

#ifdef WEFT_BENCH_MPI
/* An MPI cannot start inside a message: if there are ranges, it moves an element for each. */
struct mover mover_mpi(const struct job *job, made_type type);
#endif

/* Fills the packed side, the pieces of memory, and where memcpy reads: pages that nobody has
 * written are all the same one to the caches. */
void job_fill(const struct job *job);

/* Ends the program with a message unless the mover moves what the plain hand loop does. */
void mover_verify(struct mover *mover);

/* Drops the message from the caches: its pieces, or the whole window if Weft has no type for it
 * or it is not much larger than the pieces. */
void job_flush(const struct job *job, made_type weft_type);

#endif
