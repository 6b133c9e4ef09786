/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of weft_copy: blocks of two runs that belong together, from one to the other without
 * a packed stream between. pair.c is compiled once for each instruction set, as kernel.c is.
 */
#ifndef WEFT_TYPE_PAIR_H
#define WEFT_TYPE_PAIR_H

#include "type/kernel.h"

/* One side's blocks: `step` apart, or where a list says; and those of the next group. */
struct weft_type_pair_side {
    weft_type_address mem;
    int64_t step;
    int64_t group;
    const int32_t *where;
};

/* `groups` groups of `count` blocks. If a side is a list, there is one group. */
struct weft_type_pair {
    uint64_t block;
    uint64_t count;
    uint64_t groups;
    struct weft_type_pair_side to, from;
};

typedef void (*weft_type_pair_kernel)(const struct weft_type_pair *pair);

/* A run, and how far it has been used up. */
struct weft_type_feed {
    struct weft_type_stepper step;
    struct weft_type_piece rest; /* of the piece that comes next */
};

struct weft_type_pair_kernels {
    /* By the class of the block, and by whether `to` and `from` are lists. */
    weft_type_pair_kernel of[WEFT_TYPE_KERNEL_COUNT][2][2];
    /* Blocks of any kind, piece by piece. Each side must have so many bytes. */
    void (*pieces)(struct weft_type_feed *to, struct weft_type_feed *from, uint64_t bytes);
    /* Whole runs of the same narrow entries of varied length: those of equal types. */
    void (*twins)(const struct weft_type_run *to, const struct weft_type_run *from);
};

#endif
