/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/elf.h"

#include <elf.h>
#include <string.h>

/* ---- Fields ------------------------------------------------------------------------------- */

/* Records need not be aligned in the file. */
static uint64_t number_at(const struct weft_riscv_elf *elf, uint64_t offset, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)elf->bytes[offset + i] << 8 * i;
    return value;
}

#define FIELD(elf, at, record, field)                                                             \
    ((elf)->is_64 ? number_at(elf, (at) + offsetof(Elf64_##record, field),                        \
                              sizeof(((Elf64_##record *)0)->field))                               \
                  : number_at(elf, (at) + offsetof(Elf32_##record, field),                        \
                              sizeof(((Elf32_##record *)0)->field)))
#define SIZE(elf, record) ((elf)->is_64 ? sizeof(Elf64_##record) : sizeof(Elf32_##record))

bool weft_riscv_elf_has(const struct weft_riscv_elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->length && size <= elf->length - offset;
}

/* ---- The file ----------------------------------------------------------------------------- */

/* The part of the header that is the same in both widths. */
static const char *check_identity(const struct weft_riscv_elf *elf)
{
    const unsigned char *identity = elf->bytes;
    /* The memory of a core is that of the host, as it is. */
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return "only little-endian hosts interpret RISC-V";
    if (elf->length < EI_NIDENT || memcmp(identity, ELFMAG, SELFMAG) != 0)
        return "it is no ELF file";
    if (identity[EI_CLASS] != ELFCLASS32 && identity[EI_CLASS] != ELFCLASS64)
        return "it has neither 32 nor 64 bits";
    if (identity[EI_DATA] != ELFDATA2LSB || identity[EI_VERSION] != EV_CURRENT)
        return "it is of another byte order or version";
    return NULL;
}

#define EMBEDDED 0x8 /* of e_flags: RV32E, with 16 registers */

static const char *check_machine(const struct weft_riscv_elf *elf)
{
    if (!weft_riscv_elf_has(elf, 0, SIZE(elf, Ehdr)))
        return "its header is cut off";
    if (FIELD(elf, 0, Ehdr, e_machine) != EM_RISCV)
        return "it is not for RISC-V";
    if (FIELD(elf, 0, Ehdr, e_type) != ET_EXEC)
        return "it is no executable that is linked statically: use -static -nostdlib -no-pie";
    if (FIELD(elf, 0, Ehdr, e_flags) & (EF_RISCV_FLOAT_ABI | EMBEDDED))
        return "it passes floating-point numbers in registers, or is for RV32E: use -mabi=lp64";
    return NULL;
}

static const char *find_tables(struct weft_riscv_elf *elf)
{
    elf->segments = FIELD(elf, 0, Ehdr, e_phoff);
    elf->segment_count = FIELD(elf, 0, Ehdr, e_phnum);
    elf->sections = FIELD(elf, 0, Ehdr, e_shoff);
    elf->section_count = FIELD(elf, 0, Ehdr, e_shnum);
    if (elf->segment_count && FIELD(elf, 0, Ehdr, e_phentsize) != SIZE(elf, Phdr))
        return "its segments have a strange size";
    if (elf->section_count && FIELD(elf, 0, Ehdr, e_shentsize) != SIZE(elf, Shdr))
        return "its sections have a strange size";
    if (!weft_riscv_elf_has(elf, elf->segments, elf->segment_count * SIZE(elf, Phdr)) ||
        !weft_riscv_elf_has(elf, elf->sections, elf->section_count * SIZE(elf, Shdr)))
        return "its tables are not within the file";
    return NULL;
}

const char *weft_riscv_elf_open(struct weft_riscv_elf *elf, const void *file, size_t length)
{
    *elf = (struct weft_riscv_elf){.bytes = file, .length = length};
    const char *why = check_identity(elf);
    if (why)
        return why;
    elf->is_64 = elf->bytes[EI_CLASS] == ELFCLASS64;
    why = check_machine(elf);
    return why ? why : find_tables(elf);
}

/* ---- Records ------------------------------------------------------------------------------ */

struct weft_riscv_segment weft_riscv_elf_segment(const struct weft_riscv_elf *elf, uint64_t i)
{
    uint64_t at = elf->segments + i * SIZE(elf, Phdr);
    return (struct weft_riscv_segment){
        .type = (uint32_t)FIELD(elf, at, Phdr, p_type),
        .flags = (uint32_t)FIELD(elf, at, Phdr, p_flags),
        .offset = FIELD(elf, at, Phdr, p_offset),
        .address = FIELD(elf, at, Phdr, p_vaddr),
        .file_size = FIELD(elf, at, Phdr, p_filesz),
        .memory_size = FIELD(elf, at, Phdr, p_memsz),
    };
}

struct weft_riscv_section weft_riscv_elf_section(const struct weft_riscv_elf *elf, uint64_t i)
{
    uint64_t at = elf->sections + i * SIZE(elf, Shdr);
    return (struct weft_riscv_section){
        .type = (uint32_t)FIELD(elf, at, Shdr, sh_type),
        .link = (uint32_t)FIELD(elf, at, Shdr, sh_link),
        .offset = FIELD(elf, at, Shdr, sh_offset),
        .size = FIELD(elf, at, Shdr, sh_size),
    };
}

uint64_t weft_riscv_elf_symbol_count(const struct weft_riscv_elf *elf,
                                     const struct weft_riscv_section *table)
{
    return table->size / SIZE(elf, Sym);
}

struct weft_riscv_elf_symbol weft_riscv_elf_symbol(const struct weft_riscv_elf *elf,
                                                   const struct weft_riscv_section *table,
                                                   uint64_t i)
{
    uint64_t at = table->offset + i * SIZE(elf, Sym);
    return (struct weft_riscv_elf_symbol){
        .name = FIELD(elf, at, Sym, st_name),
        .value = FIELD(elf, at, Sym, st_value),
        .type = (uint8_t)ELF64_ST_TYPE(FIELD(elf, at, Sym, st_info)),
    };
}
