/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AVX-512: blocks of 4, 8 or 16 bytes that lie close together. A window as long as a register
 * holds several of them; two windows are gathered by one permutation, or filled by two. Windows
 * are loaded and stored under a mask that has exactly the blocks' bytes.
 */
#ifndef WEFT_TYPE_DENSE_H
#define WEFT_TYPE_DENSE_H

#include "type/block_move.h"

#if WIDEST == 64
typedef __m512i dense_register;
typedef __mmask16 dense_mask;
#define DENSE(instruction) _mm512_##instruction
#else
typedef __m256i dense_register;
typedef __mmask8 dense_mask;
#define DENSE(instruction) _mm256_##instruction
#endif

/* A register of 32-bit words, to calculate with. */
#define DENSE_WORDS (WIDEST / 4)
typedef int dense_words __attribute__((vector_size(WIDEST), may_alias));

/* At least two blocks to a window, or it does not pay. */
INLINE bool dense_fits(size_t bytes, int64_t stride, uint64_t count)
{
    return stride % 4 == 0 && stride > (int64_t)bytes && stride <= WIDEST - (int64_t)bytes &&
           count >= 16;
}

struct dense {
    uint64_t per_window;      /* blocks */
    dense_mask window;        /* the blocks' words of a window */
    dense_mask both;          /* as many words as two windows hold blocks, packed */
    dense_register from_both; /* for each packed word, its place in two windows */
    dense_register to_first;  /* for each word of a window, its place among the packed words */
    dense_register to_second;
};

INLINE dense_register dense_load(dense_mask words, const char *memory)
{
    return DENSE(maskz_loadu_epi32)(words, memory);
}

INLINE void dense_store(char *memory, dense_mask words, dense_register data)
{
    DENSE(mask_storeu_epi32)(memory, words, data);
}

INLINE dense_words dense_lanes(void)
{
#if DENSE_WORDS == 16
    const dense_words lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#else
    const dense_words lanes = {0, 1, 2, 3, 4, 5, 6, 7};
#endif
    return lanes;
}

/* Words 0, 1, 2, ... of the packed stream: where they lie in two windows, in general. */
INLINE dense_words dense_places(int words, int step, int per_window)
{
    const int log_words = words == 1 ? 0 : words == 2 ? 1 : 2;
    const dense_words lane = dense_lanes();
    const dense_words block = lane >> log_words;
    const dense_words second = block >= per_window; /* all bits of a word, or none */
    return (block - (second & per_window)) * step + (lane & (words - 1)) + (second & DENSE_WORDS);
}

INLINE struct dense dense_plan(size_t bytes, int64_t stride)
{
    const int words = (int)bytes / 4, step = (int)stride / 4;
    const dense_words lane = dense_lanes();
    struct dense plan;
    uint32_t window = 0;
    if (stride == 2 * (int64_t)bytes) {
        /* Every other element, the commonest of all: windows join without a gap. */
        plan.per_window = WIDEST / 2 / bytes;
        window = words == 1 ? 0x5555 : words == 2 ? 0x3333 : 0x0F0F;
        plan.from_both = (dense_register)(lane + lane - (lane & (words - 1)));
    } else {
        plan.per_window = (WIDEST - bytes) / (size_t)stride + 1;
        if (plan.per_window > WIDEST / 2 / bytes)
            plan.per_window = WIDEST / 2 / bytes;
        for (unsigned i = 0; i < plan.per_window; i++)
            window |= ((1u << words) - 1) << (i * (unsigned)step);
        plan.from_both = (dense_register)dense_places(words, step, (int)plan.per_window);
    }
    const int packed = (int)plan.per_window * words;
    plan.window = (dense_mask)window;
    plan.both = (dense_mask)_bzhi_u32(0xFFFF, 2 * (unsigned)packed);
    /* Expanding the packed numbers 0, 1, 2, ... into the window says where each comes from. */
    plan.to_first = DENSE(maskz_expand_epi32)(plan.window, (dense_register)lane);
    plan.to_second = (dense_register)((dense_words)plan.to_first + packed);
    return plan;
}

/* Moves whole pairs of windows and returns the number of blocks moved. */
INLINE uint64_t dense_move(enum weft_type_direction direction, size_t bytes, char *packed,
                           weft_type_address mem, uint64_t count, int64_t stride)
{
    const struct dense plan = dense_plan(bytes, stride);
    const uint64_t blocks = 2 * plan.per_window;
    const int64_t step = (int64_t)plan.per_window * stride;
    uint64_t left = count;
#pragma GCC unroll 4 /* of halves of registers up to 1.8 times as fast; of whole ones no slower   \
                      */
    for (; left >= blocks; left -= blocks) {
        char *first = (char *)mem, *second = (char *)weft_type_address_add(mem, step);
        if (direction == WEFT_TYPE_GATHER) {
            dense_register a = dense_load(plan.window, first);
            dense_register b = dense_load(plan.window, second);
            dense_store(packed, plan.both, DENSE(permutex2var_epi32)(a, plan.from_both, b));
        } else {
            dense_register both = dense_load(plan.both, packed);
            dense_store(first, plan.window, DENSE(permutexvar_epi32)(plan.to_first, both));
            dense_store(second, plan.window, DENSE(permutexvar_epi32)(plan.to_second, both));
        }
        packed += blocks * bytes;
        mem = weft_type_address_add(mem, 2 * step);
    }
    return count - left;
}

#undef DENSE

#endif
