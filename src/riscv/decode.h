/* SPDX-License-Identifier: BSD-3-Clause */
/* From words to instructions. What RV32IMC or RV64IMC do not have is WEFT_RISCV_ILLEGAL. */
#ifndef WEFT_RISCV_DECODE_H
#define WEFT_RISCV_DECODE_H

#include "riscv/text.h"

static inline bool weft_riscv_is_long(uint32_t word)
{
    return (word & 3) == 3;
}

struct weft_riscv_instruction weft_riscv_decode(uint32_t word, unsigned xlen);

/* Of 16 bits. */
struct weft_riscv_instruction weft_riscv_decode_short(uint32_t word, unsigned xlen);

/* Bits [low, low + count) of a word, moved up by `to`. */
static inline uint32_t weft_riscv_field(uint32_t word, unsigned low, unsigned count, unsigned to)
{
    return (word >> low & ((1u << count) - 1)) << to;
}

static inline int32_t weft_riscv_extend(uint32_t value, unsigned bits)
{
    return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static inline uint8_t weft_riscv_destination(uint32_t number)
{
    return number ? (uint8_t)number : WEFT_RISCV_NOWHERE;
}

#endif
