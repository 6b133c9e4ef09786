/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions as words, by the formats of the manual; constants where their operands are. */
#ifndef WEFT_TESTS_RISCV_ASSEMBLE_H
#define WEFT_TESTS_RISCV_ASSEMBLE_H

#include <stdint.h>

enum { ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5, A6, A7 };

/* Bits [low, low + count) of a value, moved to `to`. */
#define BITS(value, low, count, to)                                                               \
    (((uint32_t)(value) >> (low) & ((UINT32_C(1) << (count)) - 1)) << (to))

#define of_r(code, f3, f7, rd, rs1, rs2)                                                          \
    (BITS(f7, 0, 7, 25) | BITS(rs2, 0, 5, 20) | BITS(rs1, 0, 5, 15) | BITS(f3, 0, 3, 12) |        \
     BITS(rd, 0, 5, 7) | (uint32_t)(code))
#define of_i(code, f3, rd, rs1, value)                                                            \
    (BITS(value, 0, 12, 20) | BITS(rs1, 0, 5, 15) | BITS(f3, 0, 3, 12) | BITS(rd, 0, 5, 7) |      \
     (uint32_t)(code))
#define of_s(code, f3, rs1, rs2, value)                                                           \
    (BITS(value, 5, 7, 25) | BITS(rs2, 0, 5, 20) | BITS(rs1, 0, 5, 15) | BITS(f3, 0, 3, 12) |     \
     BITS(value, 0, 5, 7) | (uint32_t)(code))
#define of_b(f3, rs1, rs2, value)                                                                 \
    (BITS(value, 12, 1, 31) | BITS(value, 5, 6, 25) | BITS(rs2, 0, 5, 20) | BITS(rs1, 0, 5, 15) | \
     BITS(f3, 0, 3, 12) | BITS(value, 1, 4, 8) | BITS(value, 11, 1, 7) | UINT32_C(0x63))
#define of_u(code, rd, value) (BITS(value, 0, 20, 12) | BITS(rd, 0, 5, 7) | (uint32_t)(code))
#define of_j(rd, value)                                                                           \
    (BITS(value, 20, 1, 31) | BITS(value, 1, 10, 21) | BITS(value, 11, 1, 20) |                   \
     BITS(value, 12, 8, 12) | BITS(rd, 0, 5, 7) | UINT32_C(0x6f))

#define addi(rd, rs1, value) of_i(0x13, 0, rd, rs1, value)
#define add(rd, rs1, rs2) of_r(0x33, 0, 0, rd, rs1, rs2)
#define load_word(rd, rs1, offset) of_i(0x03, 2, rd, rs1, offset)
#define store_word(rs2, rs1, offset) of_s(0x23, 2, rs1, rs2, offset)
#define branch_not_equal(rs1, rs2, distance) of_b(1, rs1, rs2, distance)
#define RETURN of_i(0x67, 0, ZERO, RA, 0)
#define ECALL UINT32_C(0x73)
#define EBREAK UINT32_C(0x00100073)

#endif
