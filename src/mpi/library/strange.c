/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library younger than us may have calls to receive by that we do not know. A ticket would
 * arrive there unseen, so a process whose library has one takes no tickets, and nobody sends any.
 *
 * Nor does a process that has been linked with MPIX_Request_is_complete of MPICH 5. That call
 * looks at a request without going on with anything, and may be made from within MPI, where we
 * must not go on either: it would say for ever that the send of a ticket is not over.
 */
#include <string.h>

#include "base/log.h"
#include "mpi/library/tables.h"
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

/* Chains are in the order of the symbols; the last of each has the lowest bit set. */
static const char *find_strange(const struct weft_mpi_tables *names)
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

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    if (!weft_mpi_object_contains(info, (uintptr_t)mpi.Recv))
        return 0;
    struct weft_mpi_tables tables = weft_mpi_tables_of(info);
    if (tables.symbols && tables.hash)
        *(const char **)context = find_strange(&tables);
    else
        *(const char **)context = "a table of its calls that cannot be read";
    return 1;
}

static bool has_strange_receive(void)
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

/* ---- The names that a program asks for ----------------------------------------------------- */

static const char asking[] = "MPIX_Request_is_complete";

static bool asks_for(const struct weft_mpi_tables *tables)
{
    if (!tables->symbols)
        return false;
    for (unsigned list = 0; list < 2; list++)
        for (size_t i = 0; i < tables->bytes[list] / sizeof(ElfW(Rela)); i++) {
            size_t symbol = ELF64_R_SYM(tables->links[list][i].r_info);
            if (symbol && strcmp(tables->text + tables->symbols[symbol].st_name, asking) == 0)
                return true;
        }
    return false;
}

static int look_at_imports(struct dl_phdr_info *info, size_t size, void *context)
{
    struct weft_mpi_tables tables = weft_mpi_tables_of(info);
    (void)size;
    bool is_library = weft_mpi_object_contains(info, (uintptr_t)mpi.Recv);
    return *(bool *)context = !is_library && asks_for(&tables);
}

static bool is_asked_within_mpi(void)
{
    bool is_asked = false;
    if (!weft_mpi_is_there((uintptr_t)weft_mpi_look_for(asking)))
        return false;
    dl_iterate_phdr(look_at_imports, &is_asked);
    if (is_asked)
        weft_log(WEFT_LOG_WARN,
                 "the program calls %s, which asks for requests in the middle of "
                 "MPI: messages are only packed",
                 asking);
    return is_asked;
}

bool weft_mpi_has_strange_call(void)
{
    return has_strange_receive() || is_asked_within_mpi();
}
