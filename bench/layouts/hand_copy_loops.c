/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled for each set of instructions, as HAND_COPY. */
#include <stdbool.h>
#include <string.h>

#include "bench/layouts/hand_set.h"

#define INLINE static inline __attribute__((always_inline))

/* ---- Loops, with constants for the size of a block ---------------------------------------- */

/* Strided blocks, `parts` of the smaller ones in each of the larger ones. */
INLINE void copy_strided(size_t block, size_t parts, size_t groups, char *restrict to,
                         size_t to_step, size_t to_group, const char *restrict from,
                         size_t from_step, size_t from_group)
{
    for (size_t i = 0; i < groups; i++)
        for (size_t j = 0; j < parts; j++)
            memcpy(to + i * to_group + j * to_step, from + i * from_group + j * from_step, block);
}

INLINE void copy_regular(size_t block, size_t bytes, char *to, const struct hand_pieces *t,
                         const char *from, const struct hand_pieces *f)
{
    if (t->block == f->block)
        copy_strided(block, bytes / block, 1, to, t->stride, 0, from, f->stride, 0);
    else if (t->block > f->block)
        copy_strided(block, t->block / f->block, bytes / t->block, to, block, t->stride, from,
                     f->stride, t->block / f->block * f->stride);
    else
        copy_strided(block, f->block / t->block, bytes / f->block, to, t->stride,
                     f->block / t->block * t->stride, from, block, f->stride);
}

INLINE void copy_placed(size_t block, size_t bytes, char *restrict to, const size_t *to_where,
                        const char *restrict from, const size_t *from_where)
{
    for (size_t i = 0; i < bytes / block; i++)
        memcpy(to + to_where[i], from + from_where[i], block);
}

static void copy_pieces(char *restrict to, const struct hand_pieces *t, const char *restrict from,
                        const struct hand_pieces *f, size_t bytes)
{
    for (size_t i = 0, j = 0, to_done = 0, from_done = 0; bytes;) {
        size_t to_left = t->length[i] - to_done, from_left = f->length[j] - from_done;
        size_t part = to_left < from_left ? to_left : from_left;
        part = part < bytes ? part : bytes;
        memcpy(to + t->where[i] + to_done, from + f->where[j] + from_done, part);
        to_done = part == to_left ? 0 : to_done + part;
        from_done = part == from_left ? 0 : from_done + part;
        i += part == to_left;
        j += part == from_left;
        bytes -= part;
    }
}

static bool is_multiple(size_t large, size_t small)
{
    return large >= small && large % small == 0;
}

void HAND_COPY(char *to, const struct hand_pieces *t, const char *from,
               const struct hand_pieces *f, size_t bytes)
{
    size_t small = t->block < f->block ? t->block : f->block;
    size_t large = t->block < f->block ? f->block : t->block;
    bool fit = small && is_multiple(large, small) && is_multiple(bytes, large);
    bool regular = fit && (t->stride || t->count == 1) && (f->stride || f->count == 1);
    bool placed = fit && small == large;
    switch (regular || placed ? small : 0) {
#define BLOCK(B)                                                                                  \
    case B:                                                                                       \
        if (!B)                                                                                   \
            copy_pieces(to, t, from, f, bytes);                                                   \
        else if (regular)                                                                         \
            copy_regular(B, bytes, to, t, from, f);                                               \
        else                                                                                      \
            copy_placed(B ? B : 1, bytes, to, t->where, from, f->where);                          \
        return;
        HAND_BLOCK_MAP(BLOCK)
    default:
        copy_pieces(to, t, from, f, bytes);
    }
}
