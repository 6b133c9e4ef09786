/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moving one block, for the templates of kernel.c: always inlined, with a constant class, so that
 * the compiler sees moves of known size. Exactly the bytes of the block are touched, never those
 * around it: they may belong to another thread.
 */
#ifndef WEFT_TYPE_BLOCK_MOVE_H
#define WEFT_TYPE_BLOCK_MOVE_H

#include <string.h>

#include "type/kernel.h"

#ifdef __AVX512BW__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* The widest register to move through. Vectors wider than a register would go through memory. */
#if defined(__AVX512BW__)
#define WIDEST 64
#elif defined(__AVX2__)
#define WIDEST 32
#else
#define WIDEST 16
#endif

typedef char vector16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef char vector32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef char vector_widest __attribute__((vector_size(WIDEST), aligned(1), may_alias));

/* A constant number of bytes; from 64 on, a multiple of 64. Large ones go line by line, loads and
 * stores in turn: collecting several loads first was slower. */
INLINE void move(char *to, const char *from, size_t bytes)
{
    if (bytes == 16)
        *(vector16 *)to = *(const vector16 *)from;
    else if (bytes == 32 && WIDEST >= 32)
        *(vector32 *)to = *(const vector32 *)from;
    else if (bytes < 64 && bytes != 32)
        memcpy(to, from, bytes);
    else
        for (size_t i = 0; i < bytes; i += WIDEST)
            *(vector_widest *)(to + i) = *(const vector_widest *)(from + i);
}

/* Two moves of a constant size that meet or overlap in the middle. */
INLINE void move_ends(char *to, const char *from, size_t bytes, size_t each)
{
    move(to, from, each);
    move(to + bytes - each, from + bytes - each, each);
}

#ifdef __AVX512BW__

/* The first `bytes` of 16, 32 or 64 bytes, `bytes` being at most that. */
INLINE void move_masked(char *to, const char *from, size_t bytes, size_t width)
{
    __mmask64 mask = _bzhi_u64(~UINT64_C(0), (unsigned)bytes);
    if (width == 16)
        _mm_mask_storeu_epi8(to, (__mmask16)mask, _mm_maskz_loadu_epi8((__mmask16)mask, from));
    else if (width == 32)
        _mm256_mask_storeu_epi8(to, (__mmask32)mask,
                                _mm256_maskz_loadu_epi8((__mmask32)mask, from));
    else
        _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
}

INLINE void move_upto(char *to, const char *from, size_t bytes, size_t most)
{
    if (most < 64) {
        move_masked(to, from, bytes, most + 1);
    } else if (most == 95) {
        move(to, from, 32);
        move(to + 32, from + 32, 32);
        move(to + bytes - 32, from + bytes - 32, 32);
    } else if (most == 127) {
        move_ends(to, from, 64, 32);
        move_ends(to + bytes - 64, from + bytes - 64, 64, 32);
    } else {
        move(to, from, 64);
        move(to + 64, from + 64, 64);
        move_masked(to + 128, from + 128, bytes < 192 ? bytes - 128 : 64, 64);
        move_masked(to + 192, from + 192, bytes < 192 ? 0 : bytes - 192, 64);
    }
}

#else

INLINE void move_upto(char *to, const char *from, size_t bytes, size_t most)
{
    if (most == 255) {
        move_ends(to, from, 128, 64);
        move_ends(to + bytes - 128, from + bytes - 128, 128, 64);
    } else {
        move_ends(to, from, bytes, most > 64 ? 64 : (most + 1) / 2);
    }
}

#endif

/* From here on the C library's copy, which aligns its stores, is faster. */
#define LIBRARY_BYTES 4096

/* A call of its own: inlined into an unrolled loop it would run out of registers. */
static __attribute__((noinline)) void move_large(char *to, const char *from, size_t bytes)
{
    if (bytes >= LIBRARY_BYTES) {
        memcpy(to, from, bytes);
        return;
    }
    size_t i = 0;
    for (; i + 512 <= bytes; i += 512)
        move(to + i, from + i, 512);
    for (; i + 64 <= bytes; i += 64)
        move(to + i, from + i, 64);
    if (i < bytes)
        move(to + bytes - 64, from + bytes - 64, 64);
}

INLINE void move_class(char *to, const char *from, size_t bytes, enum weft_kernel_class class)
{
    switch (class) {
#define FIXED(n)                                                                                  \
    case WEFT_KERNEL_##n:                                                                         \
        move(to, from, n);                                                                        \
        break;
        WEFT_KERNEL_FIXED_MAP(FIXED)
#undef FIXED
    case WEFT_KERNEL_UPTO_3:
        move_ends(to, from, bytes, 2);
        break;
    case WEFT_KERNEL_UPTO_7:
        move_ends(to, from, bytes, 4);
        break;
    case WEFT_KERNEL_UPTO_15:
        move_upto(to, from, bytes, 15);
        break;
    case WEFT_KERNEL_UPTO_31:
        move_upto(to, from, bytes, 31);
        break;
    case WEFT_KERNEL_UPTO_63:
        move_upto(to, from, bytes, 63);
        break;
    case WEFT_KERNEL_UPTO_95:
        move_upto(to, from, bytes, 95);
        break;
    case WEFT_KERNEL_UPTO_127:
        move_upto(to, from, bytes, 127);
        break;
    case WEFT_KERNEL_UPTO_255:
        move_upto(to, from, bytes, 255);
        break;
    default:
        move_large(to, from, bytes);
    }
}

INLINE size_t class_bytes(enum weft_kernel_class class, size_t bytes)
{
    switch (class) {
#define FIXED(n)                                                                                  \
    case WEFT_KERNEL_##n:                                                                         \
        return n;
        WEFT_KERNEL_FIXED_MAP(FIXED)
#undef FIXED
    default:
        return bytes;
    }
}

/* Any number of bytes. Masks need fewer branches, and the lengths of neighbouring pieces are hard
 * to predict. */
INLINE void move_any(char *to, const char *from, size_t bytes)
{
    if (bytes >= 256)
        move_class(to, from, bytes, WEFT_KERNEL_LARGE);
    else if (bytes >= 128)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_255);
    else if (bytes >= 64)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_127);
#ifdef __AVX512BW__
    else
        move_masked(to, from, bytes, 64);
#else
    else if (bytes >= 32)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_63);
    else if (bytes >= 16)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_31);
    else if (bytes >= 8)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_15);
    else if (bytes >= 4)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_7);
    else if (bytes >= 2)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_3);
    else if (bytes)
        *to = *from;
#endif
}

#endif
