/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Division by a number known in advance, as one multiplication. Exact for all dividends below
 * 2^63: with L = ceil(log2 d), the magic number is ceil(2^(63+L) / d), which fits in 64 bits, and
 * n / d = (magic * 2n) >> (64 + L). Doubling n is what makes d = 1 need no special case.
 *
 * Divisors are the same bytes on every processor, so that one may divide by what another made.
 */
#ifndef WEFT_BASE_DIVISOR_H
#define WEFT_BASE_DIVISOR_H

#include <stdint.h>

struct weft_divisor {
    uint64_t magic;
    uint32_t shift;
    uint32_t unused; /* instead of padding */
};

static inline uint32_t weft_divisor_log2(uint64_t d)
{
    return d > 1 ? 64 - (uint32_t)__builtin_clzll(d - 1) : 0;
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 weft_divisor_uint128;

static inline uint64_t weft_divisor_magic(uint64_t d, uint32_t shift)
{
    weft_divisor_uint128 power = (weft_divisor_uint128)1 << (63 + shift);
    return (uint64_t)((power + d - 1) / d);
}

static inline uint64_t weft_divisor_high(uint64_t a, uint64_t b)
{
    return (uint64_t)(((weft_divisor_uint128)a * b) >> 64);
}

#else /* 32-bit targets */

/* By hand, the first digit being 1. */
static inline uint64_t weft_divisor_magic(uint64_t d, uint32_t shift)
{
    uint64_t quotient = 1, rest = ((uint64_t)1 << shift) - d;
    for (int digit = 0; digit < 63; digit++) {
        rest *= 2;
        uint64_t fits = rest >= d;
        rest -= fits ? d : 0;
        quotient = 2 * quotient + fits;
    }
    return quotient + (rest > 0);
}

static inline uint64_t weft_divisor_high(uint64_t a, uint64_t b)
{
    uint64_t low_a = (uint32_t)a, high_a = a >> 32, low_b = (uint32_t)b, high_b = b >> 32;
    uint64_t middle = high_a * low_b + ((low_a * low_b) >> 32);
    uint64_t other = low_a * high_b + (uint32_t)middle;
    return high_a * high_b + (middle >> 32) + (other >> 32);
}

#endif

static inline struct weft_divisor weft_divisor(uint64_t d)
{
    uint32_t shift = weft_divisor_log2(d);
    return (struct weft_divisor){.magic = weft_divisor_magic(d, shift), .shift = shift};
}

static inline uint64_t weft_divisor_divide(uint64_t n, struct weft_divisor by)
{
    return weft_divisor_high(by.magic, n << 1) >> by.shift;
}

#endif
