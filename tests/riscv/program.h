/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs: most instructions exist, most addresses are in the data, most jumps are short.
 */
#ifndef WEFT_TESTS_RISCV_PROGRAM_H
#define WEFT_TESTS_RISCV_PROGRAM_H

#include "riscv/bench_core.h"
#include "support/rng.h"

#define PROGRAM_SIZE 256

struct program {
    unsigned char code[PROGRAM_SIZE];
    unsigned char data[DATA_SIZE];
    uint64_t x[32];
};

/* Follows from the seed. x8, x9 and x2 point into the data, and few instructions change them. */
void program_make(struct program *program, unsigned xlen, struct rng *rng);

#endif
