/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instructions once more, written from the manual and for nothing but to be right: each is
 * fetched, expanded if it is compressed, and carried out by its bit fields. It shares nothing with
 * src/riscv.
 */
#ifndef WEFT_TESTS_RISCV_ORACLE_H
#define WEFT_TESTS_RISCV_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum oracle_end {
    ORACLE_RUNS,
    ORACLE_ECALL,
    ORACLE_LOAD,
    ORACLE_STORE,
    ORACLE_FETCH,
    ORACLE_ILLEGAL
};

/* Registers of a 32-bit machine are kept extended by their sign. */
struct oracle {
    unsigned xlen;
    uint64_t x[32];
    uint64_t pc;
    const unsigned char *code;
    uint64_t code_base, code_size;
    unsigned char *data;
    uint64_t data_base, data_size;
    uint64_t cycles; /* of the profile ri5cy */
    unsigned loaded; /* the register that the last instruction loaded; 0: none */
};

/* One instruction. What ends the program has changed nothing but, if it is ECALL, pc. */
enum oracle_end oracle_step(struct oracle *oracle);

/* The word that a compressed instruction stands for; 0: none. */
uint32_t oracle_expand(uint32_t half, unsigned xlen);

#endif
