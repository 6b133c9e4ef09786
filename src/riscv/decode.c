/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/decode.h"

/* The formats of the manual, and shifts by a constant, whose higher bits are part of the code. */
enum format { R, I, SHIFT, S, B, U, J, NONE };

static const struct row {
    uint32_t mask, match;
    uint8_t operation, format;
    uint8_t least; /* xlen */
} rows[] = {
#define WHOLE 0xffffffff
#define CODE 0x7f
#define CODE3 0x707f
#define CODE10 0xfe00707f
#define ROW(name, format, mask, match, least)                                                     \
    {                                                                                             \
        mask, match, WEFT_RISCV_##name, format, least                                             \
    }
#define WIDE_CODE(name, format, code) ROW(name, format, CODE, code, 32)
#define WITH_3(name, format, code, f3, least) ROW(name, format, CODE3, (f3) << 12 | (code), least)
#define WITH_10(name, format, code, f3, f7, least)                                                \
    ROW(name, format, CODE10, (uint32_t)(f7) << 25 | (f3) << 12 | (code), least)
    WIDE_CODE(LUI, U, 0x37),
    WIDE_CODE(AUIPC, U, 0x17),
    WIDE_CODE(JAL, J, 0x6f),
    WITH_3(JALR, I, 0x67, 0, 32),
    WITH_3(BEQ, B, 0x63, 0, 32),
    WITH_3(BNE, B, 0x63, 1, 32),
    WITH_3(BLT, B, 0x63, 4, 32),
    WITH_3(BGE, B, 0x63, 5, 32),
    WITH_3(BLTU, B, 0x63, 6, 32),
    WITH_3(BGEU, B, 0x63, 7, 32),
    WITH_3(LB, I, 0x03, 0, 32),
    WITH_3(LH, I, 0x03, 1, 32),
    WITH_3(LW, I, 0x03, 2, 32),
    WITH_3(LD, I, 0x03, 3, 64),
    WITH_3(LBU, I, 0x03, 4, 32),
    WITH_3(LHU, I, 0x03, 5, 32),
    WITH_3(LWU, I, 0x03, 6, 64),
    WITH_3(SB, S, 0x23, 0, 32),
    WITH_3(SH, S, 0x23, 1, 32),
    WITH_3(SW, S, 0x23, 2, 32),
    WITH_3(SD, S, 0x23, 3, 64),
    WITH_3(ADDI, I, 0x13, 0, 32),
    WITH_3(SLTI, I, 0x13, 2, 32),
    WITH_3(SLTIU, I, 0x13, 3, 32),
    WITH_3(XORI, I, 0x13, 4, 32),
    WITH_3(ORI, I, 0x13, 6, 32),
    WITH_3(ANDI, I, 0x13, 7, 32),
    WITH_10(SLLI, SHIFT, 0x13, 1, 0x00, 32),
    WITH_10(SRLI, SHIFT, 0x13, 5, 0x00, 32),
    WITH_10(SRAI, SHIFT, 0x13, 5, 0x20, 32),
    /* The same by 32 and more. */
    WITH_10(SLLI, SHIFT, 0x13, 1, 0x01, 64),
    WITH_10(SRLI, SHIFT, 0x13, 5, 0x01, 64),
    WITH_10(SRAI, SHIFT, 0x13, 5, 0x21, 64),
    WITH_10(ADD, R, 0x33, 0, 0x00, 32),
    WITH_10(SUB, R, 0x33, 0, 0x20, 32),
    WITH_10(SLL, R, 0x33, 1, 0x00, 32),
    WITH_10(SLT, R, 0x33, 2, 0x00, 32),
    WITH_10(SLTU, R, 0x33, 3, 0x00, 32),
    WITH_10(XOR, R, 0x33, 4, 0x00, 32),
    WITH_10(SRL, R, 0x33, 5, 0x00, 32),
    WITH_10(SRA, R, 0x33, 5, 0x20, 32),
    WITH_10(OR, R, 0x33, 6, 0x00, 32),
    WITH_10(AND, R, 0x33, 7, 0x00, 32),
    WITH_10(MUL, R, 0x33, 0, 0x01, 32),
    WITH_10(MULH, R, 0x33, 1, 0x01, 32),
    WITH_10(MULHSU, R, 0x33, 2, 0x01, 32),
    WITH_10(MULHU, R, 0x33, 3, 0x01, 32),
    WITH_10(DIV, R, 0x33, 4, 0x01, 32),
    WITH_10(DIVU, R, 0x33, 5, 0x01, 32),
    WITH_10(REM, R, 0x33, 6, 0x01, 32),
    WITH_10(REMU, R, 0x33, 7, 0x01, 32),
    WITH_3(ADDIW, I, 0x1b, 0, 64),
    WITH_10(SLLIW, SHIFT, 0x1b, 1, 0x00, 64),
    WITH_10(SRLIW, SHIFT, 0x1b, 5, 0x00, 64),
    WITH_10(SRAIW, SHIFT, 0x1b, 5, 0x20, 64),
    WITH_10(ADDW, R, 0x3b, 0, 0x00, 64),
    WITH_10(SUBW, R, 0x3b, 0, 0x20, 64),
    WITH_10(SLLW, R, 0x3b, 1, 0x00, 64),
    WITH_10(SRLW, R, 0x3b, 5, 0x00, 64),
    WITH_10(SRAW, R, 0x3b, 5, 0x20, 64),
    WITH_10(MULW, R, 0x3b, 0, 0x01, 64),
    WITH_10(DIVW, R, 0x3b, 4, 0x01, 64),
    WITH_10(DIVUW, R, 0x3b, 5, 0x01, 64),
    WITH_10(REMW, R, 0x3b, 6, 0x01, 64),
    WITH_10(REMUW, R, 0x3b, 7, 0x01, 64),
    WITH_3(FENCE, NONE, 0x0f, 0, 32),
    ROW(ECALL, NONE, WHOLE, 0x73, 32),
};

static int32_t immediate_of(uint32_t word, enum format format)
{
    switch (format) {
    case I:
        return weft_riscv_extend(word >> 20, 12);
    case SHIFT:
        return (int32_t)weft_riscv_field(word, 20, 6, 0);
    case S:
        return weft_riscv_extend(
            weft_riscv_field(word, 25, 7, 5) | weft_riscv_field(word, 7, 5, 0), 12);
    case B:
        return weft_riscv_extend(
            weft_riscv_field(word, 31, 1, 12) | weft_riscv_field(word, 7, 1, 11) |
                weft_riscv_field(word, 25, 6, 5) | weft_riscv_field(word, 8, 4, 1),
            13);
    case U:
        return (int32_t)(word & 0xfffff000);
    case J:
        return weft_riscv_extend(
            weft_riscv_field(word, 31, 1, 20) | weft_riscv_field(word, 12, 8, 12) |
                weft_riscv_field(word, 20, 1, 11) | weft_riscv_field(word, 21, 10, 1),
            21);
    default:
        return 0;
    }
}

static bool has_destination(enum format format)
{
    return format != S && format != B && format != NONE;
}

static bool has_source(enum format format)
{
    return format != U && format != J && format != NONE;
}

static bool has_two_sources(enum format format)
{
    return format == R || format == S || format == B;
}

struct weft_riscv_instruction weft_riscv_decode(uint32_t word, unsigned xlen)
{
    const struct row *row = rows, *end = rows + sizeof rows / sizeof rows[0];
    while (row < end && ((word & row->mask) != row->match || row->least > xlen))
        row++;
    if (row == end)
        return (struct weft_riscv_instruction){.operation = WEFT_RISCV_ILLEGAL, .halves = 2};
    enum format format = (enum format)row->format;
    return (struct weft_riscv_instruction){
        .operation = row->operation,
        .rd =
            weft_riscv_destination(has_destination(format) ? weft_riscv_field(word, 7, 5, 0) : 0),
        .rs1 = has_source(format) ? (uint8_t)weft_riscv_field(word, 15, 5, 0) : 0,
        .rs2 = has_two_sources(format) ? (uint8_t)weft_riscv_field(word, 20, 5, 0) : 0,
        .halves = 2,
        .immediate = immediate_of(word, format)};
}
