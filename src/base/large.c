/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/large.h"

#include <stdlib.h>
#include <sys/mman.h>

void *weft_large_alloc(size_t count, size_t size)
{
    if (count * size < WEFT_LARGE_PAGE)
        return malloc(count * size);
    size_t pages = (count * size + WEFT_LARGE_PAGE - 1) / WEFT_LARGE_PAGE;
    void *memory = aligned_alloc(WEFT_LARGE_PAGE, pages * WEFT_LARGE_PAGE);
    if (memory)
        madvise(memory, pages * WEFT_LARGE_PAGE, MADV_HUGEPAGE);
    return memory;
}
