/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_BASE_INLINE_H
#define WEFT_BASE_INLINE_H

/* For the way of every packet: what it must not pay a call for is part of it, whatever else uses
 * that too. */
#define WEFT_INLINE static inline __attribute__((always_inline))

#endif
