/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/message/large.h"

#include <stdlib.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)

void *weft_sim_large_alloc(size_t count, size_t size)
{
    size_t pages = (count * size + LARGE_PAGE - 1) / LARGE_PAGE;
    if (pages <= 1)
        return malloc(count * size);
    void *memory = aligned_alloc(LARGE_PAGE, pages * LARGE_PAGE);
    if (memory)
        madvise(memory, pages * LARGE_PAGE, MADV_HUGEPAGE);
    return memory;
}
