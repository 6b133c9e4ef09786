/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/text.h"

#include <stdlib.h>

#include "riscv/decode.h"

static uint32_t half_at(const unsigned char *bytes, size_t i)
{
    return bytes[2 * i] | (uint32_t)bytes[2 * i + 1] << 8;
}

static struct weft_riscv_instruction decode(const struct weft_riscv_text *text,
                                            const unsigned char *bytes, size_t i)
{
    uint32_t word = half_at(bytes, i);
    if (!weft_riscv_is_long(word))
        return weft_riscv_decode_short(word, text->xlen);
    if (i + 1 == text->count)
        return (struct weft_riscv_instruction){.operation = WEFT_RISCV_OUTSIDE, .halves = 1};
    return weft_riscv_decode(word | half_at(bytes, i + 1) << 16, text->xlen);
}

static bool is_load(const struct weft_riscv_instruction *instruction)
{
    return instruction->operation >= WEFT_RISCV_LB && instruction->operation <= WEFT_RISCV_LWU;
}

/* An instruction that waits for the load before it is known here: nothing else follows a load. */
static bool is_waited_for(const struct weft_riscv_instruction *load)
{
    const struct weft_riscv_instruction *next = load + load->halves;
    return next->rs1 == load->rd || next->rs2 == load->rd;
}

bool weft_riscv_text_open(struct weft_riscv_text *text, unsigned xlen, uint64_t base,
                          const unsigned char *bytes, size_t size,
                          const struct weft_riscv_profile *profile)
{
    *text = (struct weft_riscv_text){
        .xlen = xlen, .base = base, .count = size / 2, .profile = *profile};
    text->instructions = calloc(text->count + 1, sizeof *text->instructions);
    if (!text->instructions)
        return false;
    for (size_t i = 0; i < text->count; i++) {
        struct weft_riscv_instruction *instruction = &text->instructions[i];
        *instruction = decode(text, bytes, i);
        instruction->cost =
            weft_riscv_profile_cost(profile, (enum weft_riscv_operation)instruction->operation);
    }
    text->instructions[text->count].operation = WEFT_RISCV_OUTSIDE;
    for (size_t i = 0; i < text->count; i++)
        if (is_load(&text->instructions[i]) && is_waited_for(&text->instructions[i]))
            text->instructions[i].cost += profile->load_use;
    return true;
}

void weft_riscv_text_close(struct weft_riscv_text *text)
{
    free(text->instructions);
    *text = (struct weft_riscv_text){0};
}
