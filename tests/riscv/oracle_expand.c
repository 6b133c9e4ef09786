/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/assemble.h"
#include "riscv/oracle.h"

/* As the manual draws immediates: the bits of `half` from `top` down are these of the number. */
#define SPREAD(top, ...)                                                                          \
    spread(half, top, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static int32_t spread(uint32_t half, int top, const int *bits, size_t count)
{
    int32_t value = 0;
    for (size_t i = 0; i < count; i++)
        value |= (int32_t)(half >> (top - (int)i) & 1) << bits[i];
    return value;
}

static int32_t negative_from(int32_t value, int bit)
{
    return value & 1 << bit ? value - (2 << bit) : value;
}

static uint32_t quadrant_0(uint32_t half, bool is_64)
{
    uint32_t low = 8 + (half >> 2 & 7), high = 8 + (half >> 7 & 7);
    int32_t word = SPREAD(12, 5, 4, 3) | SPREAD(6, 2, 6);
    int32_t pair = SPREAD(12, 5, 4, 3) | SPREAD(6, 7, 6);
    int32_t frame = SPREAD(12, 5, 4, 9, 8, 7, 6, 2, 3);
    switch (half >> 13) {
    case 0:
        return frame ? addi(low, SP, frame) : 0;
    case 2:
        return of_i(0x03, 2, low, high, word);
    case 3:
        return is_64 ? of_i(0x03, 3, low, high, pair) : 0;
    case 6:
        return of_s(0x23, 2, high, low, word);
    case 7:
        return is_64 ? of_s(0x23, 3, high, low, pair) : 0;
    default:
        return 0;
    }
}

static uint32_t arithmetic(uint32_t half, bool is_64)
{
    uint32_t low = 8 + (half >> 2 & 7), high = 8 + (half >> 7 & 7);
    int32_t shift = SPREAD(12, 5) | SPREAD(6, 4, 3, 2, 1, 0);
    bool is_shift = is_64 || shift < 32;
    switch (half >> 10 & 3) {
    case 0:
        return is_shift ? of_i(0x13, 5, high, high, shift) : 0;
    case 1:
        return is_shift ? of_i(0x13, 5, high, high, shift | 0x400) : 0;
    case 2:
        return of_i(0x13, 7, high, high, negative_from(shift, 5));
    }
    bool is_word = half >> 12 & 1;
    switch (half >> 5 & 3) {
    case 0:
        return is_word && !is_64 ? 0 : of_r(is_word ? 0x3b : 0x33, 0, 0x20, high, high, low);
    case 1:
        if (is_word)
            return is_64 ? of_r(0x3b, 0, 0, high, high, low) : 0;
        return of_r(0x33, 4, 0, high, high, low);
    case 2:
        return is_word ? 0 : of_r(0x33, 6, 0, high, high, low);
    default:
        return is_word ? 0 : of_r(0x33, 7, 0, high, high, low);
    }
}

static uint32_t quadrant_1(uint32_t half, bool is_64)
{
    uint32_t rd = half >> 7 & 31, high = 8 + (half >> 7 & 7);
    int32_t small = negative_from(SPREAD(12, 5) | SPREAD(6, 4, 3, 2, 1, 0), 5);
    int32_t frame = negative_from(SPREAD(12, 9) | SPREAD(6, 4, 6, 8, 7, 5), 9);
    int32_t jump = negative_from(SPREAD(12, 11, 4, 9, 8, 10, 6, 7, 3, 2, 1, 5), 11);
    int32_t branch = negative_from(SPREAD(12, 8, 4, 3) | SPREAD(6, 7, 6, 2, 1, 5), 8);
    switch (half >> 13) {
    case 0:
        return addi(rd, rd, small);
    case 1:
        if (!is_64)
            return of_j(RA, jump);
        return rd ? of_i(0x1b, 0, rd, rd, small) : 0;
    case 2:
        return addi(rd, ZERO, small);
    case 3:
        if (rd == SP)
            return frame ? addi(SP, SP, frame) : 0;
        return small ? of_u(0x37, rd, (uint32_t)small & 0xfffff) : 0;
    case 4:
        return arithmetic(half, is_64);
    case 5:
        return of_j(ZERO, jump);
    case 6:
        return of_b(0, high, ZERO, branch);
    default:
        return of_b(1, high, ZERO, branch);
    }
}

static uint32_t quadrant_2(uint32_t half, bool is_64)
{
    uint32_t rd = half >> 7 & 31, rs2 = half >> 2 & 31;
    int32_t shift = SPREAD(12, 5) | SPREAD(6, 4, 3, 2, 1, 0);
    switch (half >> 13) {
    case 0:
        return is_64 || shift < 32 ? of_i(0x13, 1, rd, rd, shift) : 0;
    case 2:
        return rd ? of_i(0x03, 2, rd, SP, SPREAD(12, 5) | SPREAD(6, 4, 3, 2, 7, 6)) : 0;
    case 3:
        return rd && is_64 ? of_i(0x03, 3, rd, SP, SPREAD(12, 5) | SPREAD(6, 4, 3, 8, 7, 6)) : 0;
    case 4:
        if (rs2)
            return add(rd, half >> 12 & 1 ? rd : ZERO, rs2);
        return rd ? of_i(0x67, 0, half >> 12 & 1 ? RA : ZERO, rd, 0) : 0;
    case 6:
        return of_s(0x23, 2, SP, rs2, SPREAD(12, 5, 4, 3, 2, 7, 6));
    case 7:
        return is_64 ? of_s(0x23, 3, SP, rs2, SPREAD(12, 5, 4, 3, 8, 7, 6)) : 0;
    default:
        return 0;
    }
}

uint32_t oracle_expand(uint32_t half, unsigned xlen)
{
    switch (half & 3) {
    case 0:
        return quadrant_0(half, xlen == 64);
    case 1:
        return quadrant_1(half, xlen == 64);
    default:
        return quadrant_2(half, xlen == 64);
    }
}
