/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops that a good programmer writes for one layout: block sizes are constants, the compiler
 * may use all that the processor has. Where it is not obvious which way of writing them is
 * fastest there are several, and the benchmark takes the fastest.
 */
#ifndef WEFT_BENCH_LAYOUTS_HAND_H
#define WEFT_BENCH_LAYOUTS_HAND_H

#include "bench/layouts/layouts.h"

enum direction { GATHER, SCATTER }; /* pack, unpack */

/* Moves one part of `elements` elements. */
typedef void hand_whole(const struct layout_part *part, char *mem, char *packed, size_t elements,
                        size_t extent);

/* Moves bytes [offset, offset + length) of what hand_whole would. */
typedef void hand_some(const struct layout_part *part, char *mem, char *packed, size_t elements,
                       size_t extent, size_t offset, size_t length);

struct hand_loop {
    const char *name;
    const struct layout *layout;
    hand_whole *whole[LAYOUT_MAX_PARTS];
    hand_some *some[LAYOUT_MAX_PARTS];
};

#define HAND_MAX_LOOPS 12

/* All ways to write the layout's loop, at most HAND_MAX_LOOPS. Returns how many. The first is
 * plain memcpy of each piece. */
size_t hand_loops(const struct layout *layout, enum direction direction, struct hand_loop *loops);

/* mem is the address of the first element. */
void hand_move(const struct hand_loop *loop, char *mem, char *packed);
void hand_move_range(const struct hand_loop *loop, char *mem, char *packed, size_t offset,
                     size_t length);

#endif
