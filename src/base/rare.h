/* SPDX-License-Identifier: BSD-3-Clause */
/* For the way of every packet: what seldom happens is compiled to lie beside it. */
#ifndef WEFT_BASE_RARE_H
#define WEFT_BASE_RARE_H

#include <stdbool.h>

static inline bool weft_rare(bool condition)
{
    return __builtin_expect(condition, 0);
}

#endif
