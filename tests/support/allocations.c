/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/allocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);

static atomic_size_t made;
static atomic_bool limited;
static atomic_size_t left;

size_t allocations_made(void)
{
    return made;
}

void allocations_fail_after(size_t working)
{
    left = working;
    limited = true;
}

void allocations_work_again(void)
{
    limited = false;
}

static bool refuse(void)
{
    made++;
    if (!limited)
        return false;
    if (left == 0)
        return true;
    left--;
    return false;
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refuse() ? NULL : __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    return refuse() ? ENOMEM : __real_posix_memalign(out, alignment, size);
}
