/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AVX-512: a transposed array of 16-byte elements, such as columns of complex numbers. Four rows
 * by four pieces go through registers, so that both sides are read and written in whole lines.
 */
#ifndef WEFT_TYPE_TRANSPOSE_H
#define WEFT_TYPE_TRANSPOSE_H

#include "type/block_move.h"

/* Line k holds elements k0 k1 k2 k3; afterwards line k holds 0k 1k 2k 3k. */
INLINE void transpose_lines(__m512i line[4])
{
    __m512i low01 = _mm512_shuffle_i64x2(line[0], line[1], 0x44);  /* 00 01 10 11 */
    __m512i high01 = _mm512_shuffle_i64x2(line[0], line[1], 0xEE); /* 02 03 12 13 */
    __m512i low23 = _mm512_shuffle_i64x2(line[2], line[3], 0x44);
    __m512i high23 = _mm512_shuffle_i64x2(line[2], line[3], 0xEE);
    line[0] = _mm512_shuffle_i64x2(low01, low23, 0x88);
    line[1] = _mm512_shuffle_i64x2(low01, low23, 0xDD);
    line[2] = _mm512_shuffle_i64x2(high01, high23, 0x88);
    line[3] = _mm512_shuffle_i64x2(high01, high23, 0xDD);
}

INLINE void transpose_tile(enum weft_type_direction direction, char *packed, uint64_t row_bytes,
                           weft_type_address mem, int64_t stride)
{
    __m512i line[4];
    char *place[2][4];
    for (int k = 0; k < 4; k++) {
        place[direction == WEFT_TYPE_GATHER][k] = packed + (uint64_t)k * row_bytes;
        place[direction == WEFT_TYPE_SCATTER][k] = (char *)weft_type_address_add(mem, k * stride);
    }
    for (int k = 0; k < 4; k++)
        line[k] = _mm512_loadu_si512(place[0][k]);
    transpose_lines(line);
    for (int k = 0; k < 4; k++)
        _mm512_storeu_si512(place[1][k], line[k]);
}

/* Whether rows and pieces are elements of 16 bytes side by side. */
INLINE bool transpose_fits(const struct weft_type_run *run, uint64_t rows)
{
    return run->row_stride == 16 && rows % 4 == 0;
}

#endif
