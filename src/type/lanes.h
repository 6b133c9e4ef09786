/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AVX-512: blocks of 4 or 8 bytes far apart, gathered a register at a time. Scattering has no such
 * gain: the scatter instructions store lane by lane. Where gathering is slow, these kernels are
 * not used (dispatch.c).
 */
#ifndef WEFT_TYPE_LANES_H
#define WEFT_TYPE_LANES_H

#include "type/block_move.h"

INLINE bool lanes_fit(enum weft_type_direction direction, enum weft_type_kernel_class class)
{
    return direction == WEFT_TYPE_GATHER &&
           (class == WEFT_TYPE_KERNEL_4 || class == WEFT_TYPE_KERNEL_8);
}

/* Gathers whole registers of blocks at mem + where[i] and returns the number of blocks. */
INLINE uint64_t lanes_gather_listed(size_t bytes, char *packed, weft_type_address mem,
                                    const int32_t *where, uint64_t count)
{
    uint64_t i = 0;
    if (bytes == 8)
        for (; i + 8 <= count; i += 8) {
            __m256i places = _mm256_loadu_si256((const __m256i *)(where + i));
            _mm512_storeu_si512(packed + 8 * i,
                                _mm512_i32gather_epi64(places, (const void *)mem, 1));
        }
    else
        for (; i + 16 <= count; i += 16) {
            __m512i places = _mm512_loadu_si512(where + i);
            _mm512_storeu_si512(packed + 4 * i,
                                _mm512_i32gather_epi32(places, (const void *)mem, 1));
        }
    return i;
}

/* Beyond this stride every block is a cache miss, and gathering only gets in the way of the
 * processor's own looking ahead. */
#define LANES_STRIDE 512

/* The same for blocks `stride` apart. */
INLINE uint64_t lanes_gather_strided(size_t bytes, char *packed, weft_type_address mem,
                                     int64_t stride, uint64_t count)
{
    const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i places = _mm512_mullox_epi64(lane, _mm512_set1_epi64(stride));
    uint64_t i = 0;
    if (stride > LANES_STRIDE || stride < -LANES_STRIDE)
        return 0;
    for (; i + 8 <= count; i += 8) {
        if (bytes == 8)
            _mm512_storeu_si512(packed + 8 * i,
                                _mm512_i64gather_epi64(places, (const void *)mem, 1));
        else
            _mm256_storeu_si256((__m256i *)(packed + 4 * i),
                                _mm512_i64gather_epi32(places, (const void *)mem, 1));
        mem = weft_type_address_add(mem, 8 * stride);
    }
    return i;
}

#endif
