/* SPDX-License-Identifier: BSD-3-Clause */
/* An ELF file of either width as records of one kind. Nothing is read from outside of the file. */
#ifndef WEFT_RISCV_ELF_H
#define WEFT_RISCV_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_riscv_elf {
    const unsigned char *bytes;
    uint64_t length;
    bool is_64;
    uint64_t segments, segment_count; /* where they are described */
    uint64_t sections, section_count;
};

struct weft_riscv_segment {
    uint32_t type, flags;
    uint64_t offset, address, file_size, memory_size;
};

struct weft_riscv_section {
    uint32_t type, link;
    uint64_t offset, size;
};

struct weft_riscv_elf_symbol {
    uint64_t name, value;
    uint8_t type;
};

/* NULL, or what is wrong with the file. */
const char *weft_riscv_elf_open(struct weft_riscv_elf *elf, const void *file, size_t length);

/* Of numbers below the counts. */
struct weft_riscv_segment weft_riscv_elf_segment(const struct weft_riscv_elf *elf, uint64_t i);
struct weft_riscv_section weft_riscv_elf_section(const struct weft_riscv_elf *elf, uint64_t i);

/* Whether the file has these bytes. */
bool weft_riscv_elf_has(const struct weft_riscv_elf *elf, uint64_t offset, uint64_t size);

/* Symbols of a table that the file has. */
uint64_t weft_riscv_elf_symbol_count(const struct weft_riscv_elf *elf,
                                     const struct weft_riscv_section *table);
struct weft_riscv_elf_symbol weft_riscv_elf_symbol(const struct weft_riscv_elf *elf,
                                                   const struct weft_riscv_section *table,
                                                   uint64_t i);

#endif
