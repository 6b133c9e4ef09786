/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI-IO and one-sided communication inside the MPI library send messages by the very calls that
 * we export. Those are left alone: the library may wait for them by means that we do not see.
 */
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/state.h"

struct range {
    uintptr_t begin, end;
};

static struct range *ranges;
static size_t range_count;

/* Not the bindings of other languages, which speak for the program. */
static bool is_part_of_library(const char *path)
{
    static const char *const names[] = {"libmpi.so",    "libmpich.so", "libopen-", "libmca_",
                                        "libompitrace", "mca_",        "libromio"};
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    if (!is_part_of_library(info->dlpi_name))
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        struct range *more = realloc(ranges, (range_count + 1) * sizeof *ranges);
        if (!more)
            return 1;
        ranges = more;
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        ranges[range_count++] = (struct range){begin, begin + part->p_memsz};
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    uintptr_t left = ((const struct range *)a)->begin, right = ((const struct range *)b)->begin;
    return left < right ? -1 : left > right;
}

void weft_mpi_learn_library(void)
{
    range_count = 0;
    dl_iterate_phdr(add_object, NULL);
    qsort(ranges, range_count, sizeof *ranges, compare);
}

bool weft_mpi_is_library(const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    size_t low = 0, high = range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (address < ranges[middle].begin)
            high = middle;
        else if (address >= ranges[middle].end)
            low = middle + 1;
        else
            return true;
    }
    return false;
}
