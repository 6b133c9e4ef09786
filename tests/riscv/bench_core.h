/* SPDX-License-Identifier: BSD-3-Clause */
/* A core on the bench: some words of text, one window of memory. */
#ifndef WEFT_TESTS_RISCV_BENCH_CORE_H
#define WEFT_TESTS_RISCV_BENCH_CORE_H

#include <stddef.h>

#include "riscv/core.h"

#define TEXT_BASE UINT64_C(0x10000)
#define DATA_BASE UINT64_C(0x20000000)
#define DATA_SIZE 64

struct bench_core {
    struct weft_riscv_core core;
    struct weft_riscv_text text;
    unsigned char data[DATA_SIZE];
};

/* Ends the test program without memory. The core stands at the first word and returns from there
 * to the bench. */
void bench_core_open(struct bench_core *bench, unsigned xlen, const char *profile,
                     const void *code, size_t size);
void bench_core_close(struct bench_core *bench);

#endif
