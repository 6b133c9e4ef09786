/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AVX2 and AVX-512: a transposed array of 16-byte elements, such as columns of complex numbers.
 * Four rows by four pieces go through registers, so that both sides are read and written in whole
 * lines.
 */
#ifndef WEFT_TYPE_TRANSPOSE_H
#define WEFT_TYPE_TRANSPOSE_H

#include "type/block_move.h"

#if WIDEST == 64

/* A line at from[k] holds elements k0 k1 k2 k3, one at to[k] gets 0k 1k 2k 3k. */
INLINE void transpose_lines(char *const to[4], char *const from[4])
{
    __m512i line[4];
    for (int k = 0; k < 4; k++)
        line[k] = _mm512_loadu_si512(from[k]);
    __m512i low01 = _mm512_shuffle_i64x2(line[0], line[1], 0x44);  /* 00 01 10 11 */
    __m512i high01 = _mm512_shuffle_i64x2(line[0], line[1], 0xEE); /* 02 03 12 13 */
    __m512i low23 = _mm512_shuffle_i64x2(line[2], line[3], 0x44);
    __m512i high23 = _mm512_shuffle_i64x2(line[2], line[3], 0xEE);
    _mm512_storeu_si512(to[0], _mm512_shuffle_i64x2(low01, low23, 0x88));
    _mm512_storeu_si512(to[1], _mm512_shuffle_i64x2(low01, low23, 0xDD));
    _mm512_storeu_si512(to[2], _mm512_shuffle_i64x2(high01, high23, 0x88));
    _mm512_storeu_si512(to[3], _mm512_shuffle_i64x2(high01, high23, 0xDD));
}

#else

INLINE __m256i transpose_load(const char *half_line)
{
    return _mm256_loadu_si256((const __m256i *)half_line);
}

INLINE void transpose_store(char *half_line, __m256i elements)
{
    _mm256_storeu_si256((__m256i *)half_line, elements);
}

/* A line at from[k] holds elements k0 k1 k2 k3, one at to[k] gets 0k 1k 2k 3k. */
INLINE void transpose_lines(char *const to[4], char *const from[4])
{
    __m256i half[2][4];
    for (int k = 0; k < 4; k++) {
        half[0][k] = transpose_load(from[k]);      /* k0 k1 */
        half[1][k] = transpose_load(from[k] + 32); /* k2 k3 */
    }
    for (int k = 0; k < 4; k += 2) {
        const __m256i *of = half[k / 2];
        transpose_store(to[k], _mm256_permute2x128_si256(of[0], of[1], 0x20));
        transpose_store(to[k] + 32, _mm256_permute2x128_si256(of[2], of[3], 0x20));
        transpose_store(to[k + 1], _mm256_permute2x128_si256(of[0], of[1], 0x31));
        transpose_store(to[k + 1] + 32, _mm256_permute2x128_si256(of[2], of[3], 0x31));
    }
}

#endif

INLINE void transpose_tile(enum weft_type_direction direction, char *packed, uint64_t row_bytes,
                           weft_type_address mem, int64_t stride)
{
    char *place[2][4];
    for (int k = 0; k < 4; k++) {
        place[direction == WEFT_TYPE_SCATTER][k] = packed + (uint64_t)k * row_bytes;
        place[direction == WEFT_TYPE_GATHER][k] = (char *)weft_type_address_add(mem, k * stride);
    }
    transpose_lines(place[0], place[1]);
}

/* Whether rows and pieces are elements of 16 bytes side by side. */
INLINE bool transpose_fits(const struct weft_type_run *run, uint64_t rows)
{
    return run->row_stride == 16 && rows % 4 == 0;
}

#endif
