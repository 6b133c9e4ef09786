/* SPDX-License-Identifier: BSD-3-Clause */
/* What a loaded object says of itself: its name, and the names that it exports and asks for. */
#ifndef WEFT_MPI_LIBRARY_TABLES_H
#define WEFT_MPI_LIBRARY_TABLES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct weft_mpi_tables {
    const ElfW(Sym) * symbols;
    const char *text;
    const char *soname;          /* by which it was linked with; NULL: none */
    const uint32_t *hash;        /* GNU's */
    const ElfW(Rela) * links[2]; /* to what is asked of others, and how many bytes */
    size_t bytes[2];
};

/* NULL where there is none. What the kernel has put into the process does not say where its tables
 * are, but where they would be: it has none for us. */
struct weft_mpi_tables weft_mpi_tables_of(const struct dl_phdr_info *info);

bool weft_mpi_object_contains(const struct dl_phdr_info *info, uintptr_t address);

#endif
