/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library younger than us may have calls to receive by that we do not know. A ticket would
 * arrive there unseen, so a process whose library has one takes no tickets, and nobody sends any.
 */
#include <link.h>
#include <string.h>

#include "base/log.h"
#include "mpi/state.h"

/* Those that we export; and partitioned communication, which no ordinary send matches. Calls of
 * MPICH with MPIX_ receive on communicators with streams, by which no tickets are sent (stream.c).
 */
static const char *const known[] = {
    "Recv",
    "Irecv",
    "Recv_init",
    "Mrecv",
    "Imrecv",
    "Sendrecv",
    "Sendrecv_replace",
    "Isendrecv",
    "Isendrecv_replace",
    "Precv_init",
};

static bool is_known(const char *name)
{
    size_t length = strlen(name);
    if (length > 2 && strcmp(name + length - 2, "_c") == 0)
        length -= 2;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && strncmp(known[i], name, length) == 0)
            return true;
    return false;
}

static bool is_strange(const char *name)
{
#ifdef WEFT_MPI_STANDARD_ABI
    if (strncmp(name, "MPIX_Stream_comm_create", strlen("MPIX_Stream_comm_create")) == 0)
        return true;
#endif
    return strncmp(name, "MPI_", 4) == 0 && (strstr(name, "recv") || strstr(name, "Recv")) &&
           !is_known(name + 4);
}

/* ---- The names that a library exports ------------------------------------------------------ */

struct names {
    const ElfW(Sym) * symbols;
    const char *text;
    const uint32_t *hash; /* GNU's */
};

static bool find_names(const struct dl_phdr_info *info, struct names *names)
{
    const ElfW(Dyn) *entry = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SYMTAB)
            names->symbols = (const void *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_STRTAB)
            names->text = (const void *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_GNU_HASH)
            names->hash = (const void *)entry->d_un.d_ptr;
    return names->symbols && names->text && names->hash;
}

/* Chains are in the order of the symbols; the last of each has the lowest bit set. */
static const char *find_strange(const struct names *names)
{
    uint32_t buckets = names->hash[0], first = names->hash[1], words = names->hash[2];
    const uint32_t *bucket = (const uint32_t *)((const ElfW(Addr) *)(names->hash + 4) + words);
    const uint32_t *chain = bucket + buckets;
    for (uint32_t i = 0; i < buckets; i++) {
        uint32_t at = bucket[i];
        if (at < first)
            continue;
        do {
            const ElfW(Sym) *symbol = &names->symbols[at];
            if (symbol->st_shndx != SHN_UNDEF && is_strange(names->text + symbol->st_name))
                return names->text + symbol->st_name;
        } while (!(chain[at++ - first] & 1));
    }
    return NULL;
}

static bool contains(const struct dl_phdr_info *info, uintptr_t address)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
    struct names names = {0};
    (void)size;
    if (!contains(info, (uintptr_t)mpi.Recv))
        return 0;
    if (find_names(info, &names))
        *(const char **)context = find_strange(&names);
    else
        *(const char **)context = "a table of its calls that cannot be read";
    return 1;
}

bool weft_mpi_has_strange_call(void)
{
    const char *strange = "calls in a place that cannot be found";
    dl_iterate_phdr(look_at, &strange);
    if (strange)
        weft_log(WEFT_LOG_WARN,
                 "the MPI library has %s, which this version of Weft does not know: "
                 "messages are only packed",
                 strange);
    return strange != NULL;
}
