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

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* The widest register to move through: AVX-512's instructions also exist for half of its registers
 * (dispatch.c tells why). Vectors wider than a register would go through memory. */
#if defined(__AVX512BW__) && !defined(WEFT_TYPE_KERNEL_HALVES)
#define WIDEST 64
#elif defined(__AVX2__)
#define WIDEST 32
#else
#define WIDEST 16
#endif

typedef char vector16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef char vector_half
    __attribute__((vector_size(WIDEST < 32 ? 16 : 32), aligned(1), may_alias));
typedef char vector_widest __attribute__((vector_size(WIDEST), aligned(1), may_alias));

/* Up to here the compiler makes no loop of a constant number of bytes: twelve moves are faster one
 * after the other. */
#define LOOPLESS (WIDEST < 64 ? 256 : 768)

INLINE void move_widest(char *to, const char *from)
{
    *(vector_widest *)to = *(const vector_widest *)from;
}

/* Loads and stores in turn (collecting several loads first was slower) and, in loops, four to a
 * turn (one and sixteen were slower). */
INLINE void move_lines(char *to, const char *from, size_t bytes)
{
    if (bytes <= LOOPLESS) {
        for (size_t i = 0; i < bytes; i += WIDEST)
            move_widest(to + i, from + i);
        return;
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < bytes; i += WIDEST)
        move_widest(to + i, from + i);
}

/* A constant number of bytes: whole lines, then ever smaller parts. */
INLINE void move(char *to, const char *from, size_t bytes)
{
    const size_t lines = bytes / 64 * 64;
    move_lines(to, from, lines);
    to += lines;
    from += lines;
    if (bytes & 32) {
        for (size_t i = 0; i < 32; i += WIDEST < 32 ? WIDEST : 32)
            *(vector_half *)(to + i) = *(const vector_half *)(from + i);
        to += 32;
        from += 32;
    }
    if (bytes & 16) {
        *(vector16 *)to = *(const vector16 *)from;
        to += 16;
        from += 16;
    }
    if (bytes > 16 && bytes % 16 == 12) /* one move that overlaps instead of two */
        *(vector16 *)(to - 4) = *(const vector16 *)(from - 4);
    else if (bytes % 16)
        memcpy(to, from, bytes % 16);
}

/* Two moves of a constant size that meet or overlap in the middle. */
INLINE void move_ends(char *to, const char *from, size_t bytes, size_t each)
{
    move(to, from, each);
    move(to + bytes - each, from + bytes - each, each);
}

#ifdef __AVX512BW__

/* The first `bytes` of 16 bytes, 32 or WIDEST, `bytes` being at most that. */
INLINE void move_masked(char *to, const char *from, size_t bytes, size_t width)
{
    __mmask64 mask = _bzhi_u64(~UINT64_C(0), (unsigned)bytes);
    if (width == 16)
        _mm_mask_storeu_epi8(to, (__mmask16)mask, _mm_maskz_loadu_epi8((__mmask16)mask, from));
    else if (width == 32)
        _mm256_mask_storeu_epi8(to, (__mmask32)mask,
                                _mm256_maskz_loadu_epi8((__mmask32)mask, from));
#if WIDEST == 64
    else
        _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
#endif
}

/* Less than 256 bytes. Whole registers, and one masked move: four of them for any length would
 * spare the branch, but take longer than it does where lengths come again and are learned, and no
 * less where they are not. */
INLINE void move_lines_masked(char *to, const char *from, size_t bytes)
{
    for (; bytes > WIDEST; bytes -= WIDEST) {
        move_widest(to, from);
        to += WIDEST;
        from += WIDEST;
    }
    move_masked(to, from, bytes, WIDEST);
}

#endif

/* Up to `most` bytes and more than 32 fewer (16 fewer below 32): whole registers, then the rest.
 * Wider moves would cross a cache line more often. */
INLINE void move_upto(char *to, const char *from, size_t bytes, size_t most)
{
    const size_t width = most < 32 ? 16 : 32, whole = most + 1 - width;
    for (size_t i = 0; i < whole; i += width)
        move(to + i, from + i, width);
#ifdef __AVX512BW__
    move_masked(to + whole, from + whole, bytes - whole, width);
#else
    if (whole)
        move(to + bytes - width, from + bytes - width, width);
    else
        move_ends(to, from, bytes, width / 2);
#endif
}

/* From here on the C library's copy is as fast. */
#define LIBRARY_BYTES 4096

/* With stores aligned to lines. A call of its own: inlined into an unrolled loop it would run out
 * of registers. */
static __attribute__((noinline)) void move_large(char *to, const char *from, size_t bytes)
{
    if (bytes >= LIBRARY_BYTES) {
        memcpy(to, from, bytes);
        return;
    }
    move(to, from, 64);
    size_t i = 64 - ((uintptr_t)to & 63);
    for (; i + 256 <= bytes; i += 256)
        move(to + i, from + i, 256);
    for (; i + 64 <= bytes; i += 64)
        move(to + i, from + i, 64);
    if (i < bytes)
        move(to + bytes - 64, from + bytes - 64, 64);
}

/* Any number of bytes below 64. */
INLINE void move_below_64(char *to, const char *from, size_t bytes)
{
    if (bytes >= 32) {
        move_ends(to, from, bytes, 32);
    } else if (bytes >= 16) {
        move_ends(to, from, bytes, 16);
    } else if (bytes >= 8) {
        move_ends(to, from, bytes, 8);
    } else if (bytes >= 4) {
        move_ends(to, from, bytes, 4);
    } else if (bytes >= 2) {
        move_ends(to, from, bytes, 2);
    } else if (bytes) {
        *to = *from;
    }
}

/* Any number of bytes, with few branches: the same moves serve many lengths, overlapping in the
 * middle. Pieces of many different lengths, one after the other, are better moved with masks than
 * with branches that cannot be predicted; a single one is not. */
INLINE void move_any(char *to, const char *from, size_t bytes, bool lengths_differ)
{
    (void)lengths_differ;
    if (bytes >= 256) {
        move_large(to, from, bytes);
#ifdef __AVX512BW__
    } else if (lengths_differ) {
        move_lines_masked(to, from, bytes);
#endif
    } else if (bytes >= 128) {
        move_ends(to, from, 128, 64);
        move_ends(to + bytes - 128, from + bytes - 128, 128, 64);
    } else if (bytes >= 64) {
        move_ends(to, from, bytes, 64);
    } else {
        move_below_64(to, from, bytes);
    }
}

INLINE void move_class(char *to, const char *from, size_t bytes, enum weft_type_kernel_class class)
{
    switch (class) {
#define FIXED(n)                                                                                  \
    case WEFT_TYPE_KERNEL_##n:                                                                    \
        move(to, from, n);                                                                        \
        break;
        WEFT_TYPE_KERNEL_FIXED_MAP(FIXED)
#undef FIXED
    case WEFT_TYPE_KERNEL_UPTO_3:
        move_ends(to, from, bytes, 2);
        break;
    case WEFT_TYPE_KERNEL_UPTO_7:
        move_ends(to, from, bytes, 4);
        break;
#define UPTO(n)                                                                                   \
    case WEFT_TYPE_KERNEL_UPTO_##n:                                                               \
        move_upto(to, from, bytes, n);                                                            \
        break;
        UPTO(15)
        UPTO(31)
        UPTO(63)
        UPTO(95)
        UPTO(127)
        UPTO(159)
        UPTO(191)
        UPTO(223)
        UPTO(255)
#undef UPTO
    case WEFT_TYPE_KERNEL_ANY:
        move_any(to, from, bytes, false);
        break;
    default:
        move_large(to, from, bytes);
    }
}

/* Tiny blocks go four to a turn of a loop; for larger ones the turn itself costs nothing. */
INLINE bool class_is_tiny(enum weft_type_kernel_class class)
{
    return class <= WEFT_TYPE_KERNEL_16;
}

INLINE bool class_is_small(enum weft_type_kernel_class class)
{
    return class <= WEFT_TYPE_KERNEL_64 ||
           (class >= WEFT_TYPE_KERNEL_UPTO_3 && class <= WEFT_TYPE_KERNEL_UPTO_63);
}

/* So far apart, one block to a turn: the processor prefetches by the stride that it sees at one
 * instruction, and four blocks to a turn would make that four times as long. */
INLINE bool is_far(int64_t stride)
{
    return stride > 512 || stride < -512;
}

INLINE size_t class_bytes(enum weft_type_kernel_class class, size_t bytes)
{
    switch (class) {
#define FIXED(n)                                                                                  \
    case WEFT_TYPE_KERNEL_##n:                                                                    \
        return n;
        WEFT_TYPE_KERNEL_FIXED_MAP(FIXED)
#undef FIXED
    default:
        return bytes;
    }
}

#endif
