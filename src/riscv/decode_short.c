/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions of 16 bits. They name their registers in several ways, and the bits of their
 * immediates are where a format had room. */
#include "riscv/decode.h"

/* Immediates, by the instruction that the manual explains them with. */
enum immediate { NO, ADDI, SHAMT, SP16, SP4, LUI, LW, LD, LWSP, LDSP, SWSP, SDSP, JUMP, BRANCH };

/* What must not be 0. */
enum condition { ANY, RD, RS2, IMMEDIATE };

/* Registers are rd, rs1 and rs2, each by a letter: see register_of. */
static const struct short_row {
    uint16_t mask, match;
    uint8_t operation;
    char registers[4];
    uint8_t immediate, condition;
    uint8_t least, most; /* xlen */
} rows[] = {
#define ROW(mask, match, name, registers, immediate, condition, least, most)                      \
    {                                                                                             \
        mask, match, WEFT_RISCV_##name, registers, immediate, condition, least, most              \
    }
    ROW(0xe003, 0x0000, ADDI, "LSZ", SP4, IMMEDIATE, 32, 64),
    ROW(0xe003, 0x4000, LW, "LHZ", LW, ANY, 32, 64),
    ROW(0xe003, 0x6000, LD, "LHZ", LD, ANY, 64, 64),
    ROW(0xe003, 0xc000, SW, "ZHL", LW, ANY, 32, 64),
    ROW(0xe003, 0xe000, SD, "ZHL", LD, ANY, 64, 64),
    ROW(0xe003, 0x0001, ADDI, "DDZ", ADDI, ANY, 32, 64),
    ROW(0xe003, 0x2001, JAL, "RZZ", JUMP, ANY, 32, 32),
    ROW(0xe003, 0x2001, ADDIW, "DDZ", ADDI, RD, 64, 64),
    ROW(0xe003, 0x4001, ADDI, "DZZ", ADDI, ANY, 32, 64),
    ROW(0xef83, 0x6101, ADDI, "SSZ", SP16, IMMEDIATE, 32, 64),
    ROW(0xe003, 0x6001, LUI, "DZZ", LUI, IMMEDIATE, 32, 64),
    ROW(0xfc03, 0x8001, SRLI, "HHZ", SHAMT, ANY, 32, 64),
    ROW(0xfc03, 0x9001, SRLI, "HHZ", SHAMT, ANY, 64, 64),
    ROW(0xfc03, 0x8401, SRAI, "HHZ", SHAMT, ANY, 32, 64),
    ROW(0xfc03, 0x9401, SRAI, "HHZ", SHAMT, ANY, 64, 64),
    ROW(0xec03, 0x8801, ANDI, "HHZ", ADDI, ANY, 32, 64),
    ROW(0xfc63, 0x8c01, SUB, "HHL", NO, ANY, 32, 64),
    ROW(0xfc63, 0x8c21, XOR, "HHL", NO, ANY, 32, 64),
    ROW(0xfc63, 0x8c41, OR, "HHL", NO, ANY, 32, 64),
    ROW(0xfc63, 0x8c61, AND, "HHL", NO, ANY, 32, 64),
    ROW(0xfc63, 0x9c01, SUBW, "HHL", NO, ANY, 64, 64),
    ROW(0xfc63, 0x9c21, ADDW, "HHL", NO, ANY, 64, 64),
    ROW(0xe003, 0xa001, JAL, "ZZZ", JUMP, ANY, 32, 64),
    ROW(0xe003, 0xc001, BEQ, "ZHZ", BRANCH, ANY, 32, 64),
    ROW(0xe003, 0xe001, BNE, "ZHZ", BRANCH, ANY, 32, 64),
    ROW(0xf003, 0x0002, SLLI, "DDZ", SHAMT, ANY, 32, 64),
    ROW(0xf003, 0x1002, SLLI, "DDZ", SHAMT, ANY, 64, 64),
    ROW(0xe003, 0x4002, LW, "DSZ", LWSP, RD, 32, 64),
    ROW(0xe003, 0x6002, LD, "DSZ", LDSP, RD, 64, 64),
    ROW(0xf07f, 0x8002, JALR, "ZDZ", NO, RD, 32, 64),
    ROW(0xf003, 0x8002, ADD, "DZT", NO, RS2, 32, 64),
    ROW(0xf07f, 0x9002, JALR, "RDZ", NO, RD, 32, 64),
    ROW(0xf003, 0x9002, ADD, "DDT", NO, RS2, 32, 64),
    ROW(0xe003, 0xc002, SW, "ZST", SWSP, ANY, 32, 64),
    ROW(0xe003, 0xe002, SD, "ZST", SDSP, ANY, 64, 64),
};

/* Bits of an immediate: those from `to` on are `count` of the word, from `low` on. */
struct piece {
    uint8_t low, count, to;
};

static const struct layout {
    uint8_t bits; /* of a number with a sign; 0: it has none */
    struct piece pieces[8];
} layouts[] = {
    [ADDI] = {6, {{2, 5, 0}, {12, 1, 5}}},
    [SHAMT] = {0, {{2, 5, 0}, {12, 1, 5}}},
    [SP16] = {10, {{6, 1, 4}, {2, 1, 5}, {5, 1, 6}, {3, 2, 7}, {12, 1, 9}}},
    [SP4] = {0, {{6, 1, 2}, {5, 1, 3}, {11, 2, 4}, {7, 4, 6}}},
    [LUI] = {18, {{2, 5, 12}, {12, 1, 17}}},
    [LW] = {0, {{6, 1, 2}, {10, 3, 3}, {5, 1, 6}}},
    [LD] = {0, {{10, 3, 3}, {5, 2, 6}}},
    [LWSP] = {0, {{4, 3, 2}, {12, 1, 5}, {2, 2, 6}}},
    [LDSP] = {0, {{5, 2, 3}, {12, 1, 5}, {2, 3, 6}}},
    [SWSP] = {0, {{9, 4, 2}, {7, 2, 6}}},
    [SDSP] = {0, {{10, 3, 3}, {7, 3, 6}}},
    [JUMP] = {12,
              {{3, 3, 1},
               {11, 1, 4},
               {2, 1, 5},
               {7, 1, 6},
               {6, 1, 7},
               {9, 2, 8},
               {8, 1, 10},
               {12, 1, 11}}},
    [BRANCH] = {9, {{3, 2, 1}, {10, 2, 3}, {2, 1, 5}, {5, 2, 6}, {12, 1, 8}}},
};

static int32_t immediate_of(uint32_t word, enum immediate immediate)
{
    const struct layout *layout = &layouts[immediate];
    uint32_t value = 0;
    for (unsigned i = 0; i < 8; i++) {
        struct piece piece = layout->pieces[i];
        value |= weft_riscv_field(word, piece.low, piece.count, piece.to);
    }
    return layout->bits ? weft_riscv_extend(value, layout->bits) : (int32_t)value;
}

static uint8_t register_of(uint32_t word, char letter)
{
    switch (letter) {
    case 'D':
        return (uint8_t)weft_riscv_field(word, 7, 5, 0);
    case 'T':
        return (uint8_t)weft_riscv_field(word, 2, 5, 0);
    case 'H':
        return (uint8_t)(8 + weft_riscv_field(word, 7, 3, 0));
    case 'L':
        return (uint8_t)(8 + weft_riscv_field(word, 2, 3, 0));
    case 'S': /* sp */
        return 2;
    case 'R': /* ra */
        return 1;
    default:
        return 0;
    }
}

static bool is_met(uint32_t word, const struct short_row *row)
{
    switch (row->condition) {
    case RD:
        return register_of(word, 'D') != 0;
    case RS2:
        return register_of(word, 'T') != 0;
    case IMMEDIATE:
        return immediate_of(word, (enum immediate)row->immediate) != 0;
    default:
        return true;
    }
}

static bool fits(uint32_t word, unsigned xlen, const struct short_row *row)
{
    return (word & row->mask) == row->match && row->least <= xlen && xlen <= row->most &&
           is_met(word, row);
}

struct weft_riscv_instruction weft_riscv_decode_short(uint32_t word, unsigned xlen)
{
    const struct short_row *row = rows, *end = rows + sizeof rows / sizeof rows[0];
    while (row < end && !fits(word, xlen, row))
        row++;
    if (row == end)
        return (struct weft_riscv_instruction){.operation = WEFT_RISCV_ILLEGAL, .halves = 1};
    return (struct weft_riscv_instruction){
        .operation = row->operation,
        .rd = weft_riscv_destination(register_of(word, row->registers[0])),
        .rs1 = register_of(word, row->registers[1]),
        .rs2 = register_of(word, row->registers[2]),
        .halves = 1,
        .immediate = immediate_of(word, (enum immediate)row->immediate)};
}
