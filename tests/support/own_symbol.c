/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/own_symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char *map_program(void)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status))
        abort();
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        abort();
    return bytes;
}

/* The program is the first object; by how much it was moved is the same for all its addresses. */
static int find_shift(struct dl_phdr_info *info, size_t size, void *shift)
{
    (void)size;
    *(ElfW(Addr) *)shift = info->dlpi_addr;
    return 1;
}

static const char *search(const unsigned char *program, const Elf64_Shdr *table, uint64_t address)
{
    const Elf64_Shdr *sections =
        (const Elf64_Shdr *)(program + ((const Elf64_Ehdr *)program)->e_shoff);
    const char *names = (const char *)program + sections[table->sh_link].sh_offset;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(program + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_value == address)
            return names + symbols[i].st_name;
    return NULL;
}

const char *own_symbol(void (*function)(void))
{
    static const unsigned char *program;
    ElfW(Addr) shift = 0;
    if (!program)
        program = map_program();
    dl_iterate_phdr(find_shift, &shift);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)program;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(program + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            return search(program, &sections[i], (uintptr_t)function - shift);
    return NULL;
}
