/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the way of every packet. What seldom happens is compiled to lie beside it, and what it must
 * not pay a call for is part of it, whatever else uses that too.
 */
#ifndef WEFT_BASE_RARE_H
#define WEFT_BASE_RARE_H

#include <stdbool.h>

#define WEFT_INLINE static inline __attribute__((always_inline))

static inline bool weft_rare(bool condition)
{
    return __builtin_expect(condition, 0);
}

#endif
