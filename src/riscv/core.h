/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A core that runs untrusted code. It reaches memory through windows that are exact to the byte,
 * executes nothing but its text, and has no way out but to call its owner or to return. It stops
 * before the first instruction that a budget does not pay for, with all that is needed to go on.
 */
#ifndef WEFT_RISCV_CORE_H
#define WEFT_RISCV_CORE_H

#include "riscv/text.h"

/* The highest bits of a 32-bit address say which window it is in. */
#define WEFT_RISCV_WINDOWS 16
#define WEFT_RISCV_WINDOW_BITS 28
#define WEFT_RISCV_WINDOW_SIZE ((uint64_t)1 << WEFT_RISCV_WINDOW_BITS)

/* The return address of the outermost function; in no window. */
#define WEFT_RISCV_RETURN UINT64_C(0xfffffff0)

struct weft_riscv_window {
    uint64_t base; /* where the core sees `bytes` */
    unsigned char *bytes;
    uint64_t readable; /* how many bytes, from the first on, */
    uint64_t writable; /* and how many of these may be changed */
    uint32_t latency;  /* ticks of an access besides those of the instruction, */
    uint64_t near;     /* but not to this many bytes, from the first on */
};

enum weft_riscv_stop {
    WEFT_RISCV_RETURNED,
    WEFT_RISCV_CALLED, /* the owner, by ECALL: registers have the arguments */
    WEFT_RISCV_PAUSED, /* the next instruction would take more than the budget */
    WEFT_RISCV_NO_LOAD,
    WEFT_RISCV_NO_STORE,
    WEFT_RISCV_NO_FETCH,
    WEFT_RISCV_NO_INSTRUCTION
};

/* Registers of RV32 are the lower halves; the upper ones are 0. */
struct weft_riscv_core {
    uint64_t x[WEFT_RISCV_REGISTERS];
    uint64_t pc;
    uint64_t spent; /* ticks */
    uint64_t fault; /* the address that was not allowed */
    uint64_t far;   /* accesses that had a latency */
    const struct weft_riscv_text *text;
    struct weft_riscv_window windows[WEFT_RISCV_WINDOWS];
};

/* By their names in the calling convention. */
enum { WEFT_RISCV_RA = 1, WEFT_RISCV_SP = 2, WEFT_RISCV_T0 = 5, WEFT_RISCV_A0 = 10 };

static inline struct weft_riscv_window *weft_riscv_core_window(struct weft_riscv_core *core,
                                                               uint64_t address)
{
    return &core->windows[address >> WEFT_RISCV_WINDOW_BITS & (WEFT_RISCV_WINDOWS - 1)];
}

/* Where bytes that the core names are, all of them in one window; NULL: nowhere, and `fault` has
 * the address. */
const void *weft_riscv_core_read(struct weft_riscv_core *core, uint64_t address, uint64_t size);
void *weft_riscv_core_write(struct weft_riscv_core *core, uint64_t address, uint64_t size);

/* Runs until `spent` would be more than the budget, or for another reason. What the stopping
 * instruction was to do has not happened, except that of WEFT_RISCV_CALLED, which is behind. */
enum weft_riscv_stop weft_riscv_core_run(struct weft_riscv_core *core, uint64_t budget);

#endif
