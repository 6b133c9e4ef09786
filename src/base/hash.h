/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A running 64-bit hash of numbers, the same on every host. A step is one-to-one in the value: of
 * two lists of numbers that differ in one, the hashes differ.
 */
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include <stdint.h>

static inline uint64_t weft_hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

#endif
