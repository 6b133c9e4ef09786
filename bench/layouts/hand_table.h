/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of hand_loops.c, which is compiled with and without automatic vectorisation, for each
 * set of instructions (hand_set.h). */
#ifndef WEFT_BENCH_LAYOUTS_HAND_TABLE_H
#define WEFT_BENCH_LAYOUTS_HAND_TABLE_H

#include "bench/layouts/hand.h"

/* Blocks whose size is a constant in the program; 0 stands for all other sizes. */
#define HAND_BLOCK_MAP(X)                                                                         \
    X(0)                                                                                          \
    X(4)                                                                                          \
    X(8) X(12) X(16) X(20) X(24) X(32) X(40) X(44) X(48) X(56) X(64) X(76) X(92) X(128) X(256)    \
        X(512) X(768) X(800) X(1024)

struct hand_pair {
    hand_whole *whole;
    hand_some *some;
};

/* In arrays of two, by direction. */
struct hand_row {
    size_t block;
    struct hand_pair strided[2];
    struct hand_pair every_second[2]; /* the stride is a constant, too: twice the block */
    struct hand_pair listed[2];
};

/* 16-byte blocks that are a transposition, in tiles. */
struct hand_tiles {
    struct hand_pair narrow[2];
    struct hand_pair wide[2];
};

struct hand_table {
    const struct hand_row *rows; /* the one for 0 comes first */
    size_t row_count;
    struct hand_pair varied[2];
    struct hand_tiles tiles;
};

#endif
