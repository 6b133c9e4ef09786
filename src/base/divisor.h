/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Division by a number known in advance, as one multiplication. Exact for all dividends below
 * 2^63: with L = ceil(log2 d), the magic number is ceil(2^(63+L) / d), which fits in 64 bits, and
 * n / d = (magic * 2n) >> (64 + L). Doubling n is what makes d = 1 need no special case.
 */
#ifndef WEFT_BASE_DIVISOR_H
#define WEFT_BASE_DIVISOR_H

#include <stdint.h>

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 weft_divisor_uint128;

struct weft_divisor {
    uint64_t magic;
    unsigned shift;
};

static inline struct weft_divisor weft_divisor(uint64_t d)
{
    unsigned shift = d > 1 ? 64 - (unsigned)__builtin_clzll(d - 1) : 0;
    weft_divisor_uint128 power = (weft_divisor_uint128)1 << (63 + shift);
    return (struct weft_divisor){(uint64_t)((power + d - 1) / d), shift};
}

static inline uint64_t weft_divisor_divide(uint64_t n, struct weft_divisor by)
{
    return (uint64_t)(((weft_divisor_uint128)by.magic * (n << 1)) >> 64) >> by.shift;
}

#else /* 32-bit targets: let the compiler's library divide */

struct weft_divisor {
    uint64_t d;
};

static inline struct weft_divisor weft_divisor(uint64_t d)
{
    return (struct weft_divisor){d};
}

static inline uint64_t weft_divisor_divide(uint64_t n, struct weft_divisor by)
{
    return n / by.d;
}

#endif
#endif
