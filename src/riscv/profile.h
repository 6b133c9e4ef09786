/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long instructions take. Times are counted in ticks, of which a cycle has one or, on a core
 * that issues several instructions at once, more.
 */
#ifndef WEFT_RISCV_PROFILE_H
#define WEFT_RISCV_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "riscv/operation.h"

#define WEFT_RISCV_PROFILE_MAP(X)                                                                 \
    X(ticks)       /* of a cycle */                                                               \
    X(picoseconds) /* of a cycle */                                                               \
    X(alu)                                                                                        \
    X(multiply)                                                                                   \
    X(multiply_high)                                                                              \
    X(divide)                                                                                     \
    X(divide_zero) /* more, for each leading zero of the divisor */                               \
    X(load)                                                                                       \
    X(store)                                                                                      \
    X(load_use)   /* more, if the next instruction needs what was loaded */                       \
    X(misaligned) /* more, if an address is no multiple of the size */                            \
    X(jump)                                                                                       \
    X(branch)                                                                                     \
    X(taken) /* more, if a branch is taken */                                                     \
    X(call)  /* to the NIC */

struct weft_riscv_profile {
#define WEFT_RISCV_PROFILE_FIELD(name) uint32_t name;
    WEFT_RISCV_PROFILE_MAP(WEFT_RISCV_PROFILE_FIELD)
#undef WEFT_RISCV_PROFILE_FIELD
};

/* `ri5cy`: in order, as the CV32E40P's manual has it. `a15`: issues two instructions a cycle and
 * waits for nothing but divisions. Either may be followed by what is different, as in
 * "ri5cy,load=2,picoseconds=800". False if the text cannot be understood. */
bool weft_riscv_profile_read(const char *text, struct weft_riscv_profile *profile);

/* Of one instruction, as far as that is known before it runs. */
uint32_t weft_riscv_profile_cost(const struct weft_riscv_profile *profile,
                                 enum weft_riscv_operation operation);

#endif
