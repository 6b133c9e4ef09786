/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AVX-512: blocks of 4, 8 or 16 bytes that lie close together. A window of 64 bytes holds several
 * of them; two windows are gathered by one permutation, or filled by two. Windows are loaded and
 * stored under a mask that has exactly the blocks' bytes.
 */
#ifndef WEFT_TYPE_DENSE_H
#define WEFT_TYPE_DENSE_H

#include "type/block_move.h"

/* At least two blocks to a window, or it does not pay. */
INLINE bool dense_fits(size_t bytes, int64_t stride, uint64_t count)
{
    return stride % 4 == 0 && stride > (int64_t)bytes && stride <= 64 - (int64_t)bytes &&
           count >= 16;
}

struct dense {
    uint64_t per_window; /* blocks */
    __mmask16 window;    /* the blocks' words of a window */
    __mmask16 both;      /* as many words as two windows hold blocks, packed */
    __m512i from_both;   /* for each packed word, its place in two windows */
    __m512i to_first;    /* for each word of a window, its place among the packed words */
    __m512i to_second;
};

INLINE __m512i dense_lanes(void)
{
    return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/* Words 0, 1, 2, ... of the packed stream: where they lie in two windows, in general. */
INLINE __m512i dense_places(unsigned words, unsigned step, unsigned per_window)
{
    const unsigned log_words = words == 1 ? 0 : words == 2 ? 1 : 2;
    const __m512i lane = dense_lanes();
    const __m512i word = _mm512_and_si512(lane, _mm512_set1_epi32((int)words - 1));
    const __m512i per = _mm512_set1_epi32((int)per_window);
    __m512i block = _mm512_srli_epi32(lane, log_words);
    const __mmask16 second = _mm512_cmpge_epi32_mask(block, per);
    block = _mm512_mask_sub_epi32(block, second, block, per);
    __m512i place =
        _mm512_add_epi32(_mm512_mullo_epi32(block, _mm512_set1_epi32((int)step)), word);
    return _mm512_mask_add_epi32(place, second, place, _mm512_set1_epi32(16));
}

INLINE struct dense dense_plan(size_t bytes, int64_t stride)
{
    const unsigned words = (unsigned)bytes / 4, step = (unsigned)stride / 4;
    const __m512i lane = dense_lanes();
    struct dense plan;
    uint32_t window = 0;
    if (stride == 2 * (int64_t)bytes) {
        /* Every other element, the commonest of all: windows join without a gap. */
        plan.per_window = 32 / bytes;
        window = words == 1 ? 0x5555 : words == 2 ? 0x3333 : 0x0F0F;
        plan.from_both =
            _mm512_sub_epi32(_mm512_add_epi32(lane, lane),
                             _mm512_and_si512(lane, _mm512_set1_epi32((int)words - 1)));
    } else {
        plan.per_window = (64 - bytes) / (size_t)stride + 1;
        if (plan.per_window > 32 / bytes)
            plan.per_window = 32 / bytes;
        for (unsigned i = 0; i < plan.per_window; i++)
            window |= ((1u << words) - 1) << (i * step);
        plan.from_both = dense_places(words, step, (unsigned)plan.per_window);
    }
    const unsigned packed = (unsigned)plan.per_window * words;
    plan.window = (__mmask16)window;
    plan.both = (__mmask16)_bzhi_u32(0xFFFF, 2 * packed);
    /* Expanding the packed numbers 0, 1, 2, ... into the window says where each comes from. */
    plan.to_first = _mm512_maskz_expand_epi32(plan.window, lane);
    plan.to_second = _mm512_add_epi32(plan.to_first, _mm512_set1_epi32((int)packed));
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
    for (; left >= blocks; left -= blocks) {
        char *first = (char *)mem, *second = (char *)weft_type_address_add(mem, step);
        if (direction == WEFT_TYPE_GATHER) {
            __m512i a = _mm512_maskz_loadu_epi32(plan.window, first);
            __m512i b = _mm512_maskz_loadu_epi32(plan.window, second);
            _mm512_mask_storeu_epi32(packed, plan.both,
                                     _mm512_permutex2var_epi32(a, plan.from_both, b));
        } else {
            __m512i both = _mm512_maskz_loadu_epi32(plan.both, packed);
            _mm512_mask_storeu_epi32(first, plan.window,
                                     _mm512_permutexvar_epi32(plan.to_first, both));
            _mm512_mask_storeu_epi32(second, plan.window,
                                     _mm512_permutexvar_epi32(plan.to_second, both));
        }
        packed += blocks * bytes;
        mem = weft_type_address_add(mem, 2 * step);
    }
    return count - left;
}

#endif
