/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What travels is little-endian. weft_little() makes a number of the host one that travels, and
 * one that has travelled a number of the host; where the host has that order it costs nothing.
 */
#ifndef WEFT_BASE_LITTLE_H
#define WEFT_BASE_LITTLE_H

#include <stdint.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define weft_little(number) (number)
#else
#define weft_little(number)                                                                       \
    _Generic((number), uint8_t                                                                    \
             : (number), uint16_t                                                                 \
             : __builtin_bswap16((uint16_t)(number)), uint32_t                                    \
             : __builtin_bswap32((uint32_t)(number)), uint64_t                                    \
             : __builtin_bswap64(number))
#endif

#endif
