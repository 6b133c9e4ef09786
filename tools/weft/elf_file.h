/* SPDX-License-Identifier: BSD-3-Clause */
/* What an ELF file says of itself. Files come from outside: whatever is wrong with one, the answer
 * is that it does not say. */
#ifndef WEFT_TOOLS_ELF_FILE_H
#define WEFT_TOOLS_ELF_FILE_H

#include <limits.h>
#include <stdbool.h>

enum weft_elf_kind {
    WEFT_ELF_NONE,    /* a script, or it cannot be read */
    WEFT_ELF_FOREIGN, /* for another processor or word length than this program */
    WEFT_ELF_STATIC,  /* without a dynamic linker */
    WEFT_ELF_DYNAMIC,
};

/* Of a program; `linker` is what is to load it, if that is dynamic. */
enum weft_elf_kind weft_elf_kind(const char *path, char linker[PATH_MAX]);

/* Whether the dynamic linker would find this symbol in that library. */
bool weft_elf_defines(const char *path, const char *symbol);

/* Whether it was linked with this function inside; not known of what is stripped. */
bool weft_elf_contains(const char *path, const char *function);

#endif
