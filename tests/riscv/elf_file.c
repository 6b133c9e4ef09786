/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/elf_file.h"

#include <stdlib.h>
#include <string.h>

static void make_header(struct elf_file *file)
{
    file->header =
        (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                     .e_type = ET_EXEC,
                     .e_machine = EM_RISCV,
                     .e_version = EV_CURRENT,
                     .e_phoff = offsetof(struct elf_file, segment),
                     .e_shoff = offsetof(struct elf_file, sections),
                     .e_flags = EF_RISCV_RVC,
                     .e_ehsize = sizeof(Elf64_Ehdr),
                     .e_phentsize = sizeof(Elf64_Phdr),
                     .e_phnum = 1,
                     .e_shentsize = sizeof(Elf64_Shdr),
                     .e_shnum = 3};
}

static void make_tables(struct elf_file *file, size_t symbols)
{
    file->sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                     .sh_offset = offsetof(struct elf_file, symbols),
                                     .sh_size = symbols * sizeof(Elf64_Sym),
                                     .sh_link = 2,
                                     .sh_entsize = sizeof(Elf64_Sym)};
    file->sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                     .sh_offset = offsetof(struct elf_file, names),
                                     .sh_size = sizeof file->names};
}

void elf_file_make(struct elf_file *file, const uint32_t *words, size_t count,
                   const struct elf_function *functions)
{
    memset(file, 0, sizeof *file);
    if (count > ELF_FILE_WORDS)
        abort();
    memcpy(file->text, words, count * sizeof *words);
    make_header(file);
    file->segment = (Elf64_Phdr){.p_type = PT_LOAD,
                                 .p_flags = PF_R | PF_X,
                                 .p_offset = offsetof(struct elf_file, text),
                                 .p_vaddr = ELF_FILE_BASE,
                                 .p_filesz = count * sizeof *words,
                                 .p_memsz = count * sizeof *words};
    size_t symbols = 1, used = 1;
    for (; functions->name; functions++) {
        size_t length = strlen(functions->name) + 1;
        if (symbols > ELF_FILE_FUNCTIONS || used + length >= sizeof file->names)
            abort();
        memcpy(file->names + used, functions->name, length);
        file->symbols[symbols++] =
            (Elf64_Sym){.st_name = (Elf64_Word)used,
                        .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                        .st_value = ELF_FILE_BASE + functions->word * sizeof *words};
        used += length;
    }
    make_tables(file, symbols);
}
