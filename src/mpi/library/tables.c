/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/library/tables.h"

#include <stddef.h>

static void note_table(struct weft_mpi_tables *tables, const ElfW(Dyn) * entry)
{
    const void *place = (const void *)entry->d_un.d_ptr;
    switch (entry->d_tag) {
    case DT_SYMTAB:
        tables->symbols = place;
        break;
    case DT_STRTAB:
        tables->text = place;
        break;
    case DT_GNU_HASH:
        tables->hash = place;
        break;
    case DT_RELA:
        tables->links[0] = place;
        break;
    case DT_RELASZ:
        tables->bytes[0] = entry->d_un.d_val;
        break;
    case DT_JMPREL:
        tables->links[1] = place;
        break;
    case DT_PLTRELSZ:
        tables->bytes[1] = entry->d_un.d_val;
        break;
    default:
        break;
    }
}

static const ElfW(Dyn) * entries_of(const struct dl_phdr_info *info)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return NULL;
}

struct weft_mpi_tables weft_mpi_tables_of(const struct dl_phdr_info *info)
{
    struct weft_mpi_tables tables = {0};
    const ElfW(Dyn) *first = entries_of(info);
    for (const ElfW(Dyn) *entry = first; entry && entry->d_tag != DT_NULL; entry++)
        note_table(&tables, entry);
    if (!weft_mpi_object_contains(info, (uintptr_t)tables.text))
        return (struct weft_mpi_tables){0};
    for (const ElfW(Dyn) *entry = first; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME)
            tables.soname = tables.text + entry->d_un.d_val;
    return tables;
}

bool weft_mpi_object_contains(const struct dl_phdr_info *info, uintptr_t address)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}
