/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions that were decoded once. */
#ifndef WEFT_RISCV_TEXT_H
#define WEFT_RISCV_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riscv/profile.h"

/* What is written to x0 goes to a register that nobody reads. */
#define WEFT_RISCV_REGISTERS 33
#define WEFT_RISCV_NOWHERE 32

struct weft_riscv_instruction {
    uint8_t operation; /* enum weft_riscv_operation */
    uint8_t rd, rs1, rs2;
    uint32_t halves; /* of its length, in units of 16 bits */
    int32_t immediate;
    uint32_t cost; /* in ticks */
};

/* One instruction for every 16 bits, since any of them can be the target of a jump. */
struct weft_riscv_text {
    unsigned xlen; /* 32 or 64 */
    uint64_t base; /* even */
    size_t count;
    struct weft_riscv_instruction *instructions;
    struct weft_riscv_profile profile;
};

/* `size` is even. False without memory. */
bool weft_riscv_text_open(struct weft_riscv_text *text, unsigned xlen, uint64_t base,
                          const unsigned char *bytes, size_t size,
                          const struct weft_riscv_profile *profile);
void weft_riscv_text_close(struct weft_riscv_text *text);

static inline bool weft_riscv_text_has(const struct weft_riscv_text *text, uint64_t address)
{
    return address % 2 == 0 && (address - text->base) / 2 < text->count;
}

#endif
