/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instructions of RV32IMC and RV64IMC by what they compute. Compressed ones are among them:
 * each stands for one of full length. `a` and `b` are the values of the two source registers and
 * `c` is the immediate, all of type `ux`, which has the width of a register; `sx` is the same with
 * a sign. run.h makes the interpreter of these lists, decode.c finds the instructions in words.
 */
#ifndef WEFT_RISCV_OPERATION_H
#define WEFT_RISCV_OPERATION_H

/* X(name, value of the destination register) */
#define WEFT_RISCV_ARITHMETIC(X)                                                                  \
    X(LUI, c)                                                                                     \
    X(AUIPC, HERE + c)                                                                            \
    X(ADDI, a + c)                                                                                \
    X(SLTI, (sx)a < (sx)c)                                                                        \
    X(SLTIU, a < c)                                                                               \
    X(XORI, a ^ c)                                                                                \
    X(ORI, a | c)                                                                                 \
    X(ANDI, a &c)                                                                                 \
    X(SLLI, a << c)                                                                               \
    X(SRLI, a >> c)                                                                               \
    X(SRAI, (sx)a >> c)                                                                           \
    X(ADD, a + b)                                                                                 \
    X(SUB, a - b)                                                                                 \
    X(SLL, a << b % XLEN)                                                                         \
    X(SLT, (sx)a < (sx)b)                                                                         \
    X(SLTU, a < b)                                                                                \
    X(XOR, a ^ b)                                                                                 \
    X(SRL, a >> b % XLEN)                                                                         \
    X(SRA, (sx)a >> b % XLEN)                                                                     \
    X(OR, a | b)                                                                                  \
    X(AND, a &b)                                                                                  \
    X(ADDIW, LOW(a + c))                                                                          \
    X(SLLIW, LOW((uint32_t)a << c))                                                               \
    X(SRLIW, LOW((uint32_t)a >> c))                                                               \
    X(SRAIW, LOW((int32_t)a >> c))                                                                \
    X(ADDW, LOW(a + b))                                                                           \
    X(SUBW, LOW(a - b))                                                                           \
    X(SLLW, LOW((uint32_t)a << b % 32))                                                           \
    X(SRLW, LOW((uint32_t)a >> b % 32))                                                           \
    X(SRAW, LOW((int32_t)a >> b % 32))                                                            \
    X(MUL, a *b)                                                                                  \
    X(MULW, LOW(a *b))                                                                            \
    X(MULH, (sxx)(sx)a *(sx)b >> XLEN)                                                            \
    X(MULHSU, (sxx)(sx)a *(sxx)b >> XLEN)                                                         \
    X(MULHU, (uxx)a *b >> XLEN)                                                                   \
    X(FENCE, 0)

/* X(name, type of the operands, value): `n` and `d` are the operands in a type that is wide enough
 * for the smallest number divided by -1. Their time depends on the divisor. */
#define WEFT_RISCV_DIVISIONS(X)                                                                   \
    X(DIV, sx, d ? n / d : -1)                                                                    \
    X(DIVU, ux, d ? n / d : -1)                                                                   \
    X(REM, sx, d ? n % d : n)                                                                     \
    X(REMU, ux, d ? n % d : n)                                                                    \
    X(DIVW, int32_t, LOW(d ? n / d : -1))                                                         \
    X(DIVUW, uint32_t, LOW(d ? n / d : -1))                                                       \
    X(REMW, int32_t, LOW(d ? n % d : n))                                                          \
    X(REMUW, uint32_t, LOW(d ? n % d : n))

/* X(name, type of what is in memory) */
#define WEFT_RISCV_LOADS(X)                                                                       \
    X(LB, int8_t)                                                                                 \
    X(LH, int16_t)                                                                                \
    X(LW, int32_t)                                                                                \
    X(LD, int64_t)                                                                                \
    X(LBU, uint8_t)                                                                               \
    X(LHU, uint16_t)                                                                              \
    X(LWU, uint32_t)
#define WEFT_RISCV_STORES(X)                                                                      \
    X(SB, uint8_t)                                                                                \
    X(SH, uint16_t)                                                                               \
    X(SW, uint32_t)                                                                               \
    X(SD, uint64_t)

/* X(name, whether it is taken) */
#define WEFT_RISCV_BRANCHES(X)                                                                    \
    X(BEQ, a == b)                                                                                \
    X(BNE, a != b)                                                                                \
    X(BLT, (sx)a < (sx)b)                                                                         \
    X(BGE, (sx)a >= (sx)b)                                                                        \
    X(BLTU, a < b)                                                                                \
    X(BGEU, a >= b)

/* X(name, where it goes) */
#define WEFT_RISCV_JUMPS(X)                                                                       \
    X(JAL, HERE + c)                                                                              \
    X(JALR, (a + c) & ~(ux)1)

enum weft_riscv_operation {
#define WEFT_RISCV_ENUM(name, ...) WEFT_RISCV_##name,
    WEFT_RISCV_ARITHMETIC(WEFT_RISCV_ENUM) /**/
    WEFT_RISCV_DIVISIONS(WEFT_RISCV_ENUM)  /**/
    WEFT_RISCV_LOADS(WEFT_RISCV_ENUM)      /**/
    WEFT_RISCV_STORES(WEFT_RISCV_ENUM)     /**/
    WEFT_RISCV_BRANCHES(WEFT_RISCV_ENUM)   /**/
    WEFT_RISCV_JUMPS(WEFT_RISCV_ENUM)      /**/
    WEFT_RISCV_ECALL,
    WEFT_RISCV_ILLEGAL,
    WEFT_RISCV_OUTSIDE /* behind the end of the text */
#undef WEFT_RISCV_ENUM
};

#endif
