/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays of C and COMMON blocks of Fortran lie in the last segment of a program. Before main, the
 * pages there are replaced by pages of the region, at the same addresses and with the same
 * contents. Those that were zero and not touched yet are not touched here either.
 */
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap/heap.h"

#define PAGE ((uintptr_t)4096)

struct stretch {
    uintptr_t begin, end;
    uintptr_t zeros; /* from here on pages are zero until somebody writes to them */
    bool has_code;   /* which pages of the region must not have */
};

static uintptr_t round_down(uintptr_t address)
{
    return address / PAGE * PAGE;
}

static uintptr_t round_up(uintptr_t address)
{
    return round_down(address + PAGE - 1);
}

/* The dynamic linker has made the first pages of it read-only, if the program wants that. */
static uintptr_t end_of_constants(const struct dl_phdr_info *info, uintptr_t begin)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t end = round_down(info->dlpi_addr + segment->p_vaddr + segment->p_memsz);
        if (segment->p_type == PT_GNU_RELRO && end > begin)
            return end;
    }
    return begin;
}

static int find_variables(struct dl_phdr_info *info, size_t size, void *context)
{
    struct stretch *variables = context;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W))
            continue;
        uintptr_t at = info->dlpi_addr + segment->p_vaddr;
        *variables = (struct stretch){.begin = end_of_constants(info, round_down(at)),
                                      .end = round_up(at + segment->p_memsz),
                                      .zeros = round_up(at + segment->p_filesz),
                                      .has_code = segment->p_flags & PF_X};
    }
    return 1; /* the program itself is the first; libraries keep theirs */
}

/* Whoever writes while pages are replaced would lose what it has written. */
static bool has_other_threads(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != 3;
}

static bool is_zero(const char *page)
{
    return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

/* In each word of the system's map of pages: it is in memory, or was moved out. */
#define TOUCHED (UINT64_C(3) << 62)
#define AT_A_TIME ((size_t)512)

/* Where the system does not tell, all pages count as touched. */
static void read_marks(int map, const char *begin, size_t pages, uint64_t *marks)
{
    ssize_t bytes = (ssize_t)(pages * sizeof *marks);
    off_t at = (off_t)((uintptr_t)begin / PAGE * sizeof *marks);
    if (pread(map, marks, (size_t)bytes, at) != bytes)
        memset(marks, 0xff, (size_t)bytes);
}

static void copy_zeros(char *to, const char *from, size_t pages)
{
    uint64_t marks[AT_A_TIME];
    int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < pages; i++, to += PAGE, from += PAGE) {
        if (i % AT_A_TIME == 0)
            read_marks(map, from, pages - i < AT_A_TIME ? pages - i : AT_A_TIME, marks);
        if (marks[i % AT_A_TIME] & TOUCHED && !is_zero(from))
            memcpy(to, from, PAGE);
    }
    if (map >= 0)
        close(map);
}

static void copy_variables(char *to, const struct stretch *variables)
{
    size_t initialised = variables->zeros - variables->begin;
    memcpy(to, (const char *)variables->begin, initialised);
    copy_zeros(to + initialised, (const char *)variables->zeros,
               (variables->end - variables->zeros) / PAGE);
}

void weft_heap_statics_share(struct weft_heap *heap, size_t least)
{
    struct stretch variables = {0};
    dl_iterate_phdr(find_variables, &variables);
    if (sysconf(_SC_PAGESIZE) != (long)PAGE || variables.has_code ||
        variables.begin > variables.zeros || variables.end - variables.begin < least ||
        has_other_threads())
        return;
    size_t bytes = variables.end - variables.begin;
    char *twin = weft_heap_take(heap, bytes, 1);
    if (!twin)
        return;
    uint64_t offset = (uintptr_t)twin - heap->id.base;
    copy_variables(twin, &variables);
    if (weft_heap_memory_map_at((int)heap->id.fd, offset, bytes, (void *)variables.begin))
        heap->id.statics = (struct weft_heap_statics){variables.begin, bytes, offset};
    else
        weft_heap_give(heap, twin);
}
