/* SPDX-License-Identifier: BSD-3-Clause */
/* ELF files for RV64 of words that a test has assembled: no compiler is needed for these. */
#ifndef WEFT_TESTS_RISCV_ELF_FILE_H
#define WEFT_TESTS_RISCV_ELF_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_FILE_BASE UINT64_C(0x10000)
#define ELF_FILE_WORDS 256
#define ELF_FILE_FUNCTIONS 8

/* Tests change what they like. */
struct elf_file {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Shdr sections[3]; /* none, symbols, their names */
    Elf64_Sym symbols[1 + ELF_FILE_FUNCTIONS];
    char names[512];
    uint32_t text[ELF_FILE_WORDS];
};

struct elf_function {
    const char *name;
    size_t word; /* where it begins */
};

/* Ends the test program if something does not fit. Functions end with one without name. */
void elf_file_make(struct elf_file *file, const uint32_t *words, size_t count,
                   const struct elf_function *functions);

#endif
