/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/window.h"

#include <stdlib.h>
#include <sys/mman.h>

#define GUARD ((size_t)65536)

bool window_open(struct window *window, size_t size)
{
    size = (size + GUARD - 1) / GUARD * GUARD;
    char *reserved = mmap(NULL, size + 2 * GUARD, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        return false;
    if (mprotect(reserved + GUARD, size, PROT_READ | PROT_WRITE)) {
        munmap(reserved, size + 2 * GUARD);
        return false;
    }
    *window = (struct window){reserved + GUARD, size};
    return true;
}

void window_close(struct window *window)
{
    munmap(window->memory - GUARD, window->size + 2 * GUARD);
    *window = (struct window){NULL, 0};
}

char *window_place(const struct window *window, int64_t low, int64_t high, bool at_end)
{
    uintptr_t start = (uintptr_t)window->memory;
    if (at_end)
        start += window->size - (uintptr_t)(high - low);
    return (char *)(start - (uintptr_t)low);
}

void window_clear(struct window *window, const void *from, const void *to)
{
    size_t first = (size_t)((const char *)from - window->memory) / GUARD * GUARD;
    size_t last = (size_t)((const char *)to - window->memory);
    if (madvise(window->memory + first, last - first, MADV_DONTNEED))
        abort();
}
