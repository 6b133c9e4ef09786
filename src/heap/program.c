/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * malloc and its relatives for the whole program: what is large comes from a region that peers can
 * map, all else from whoever would have been asked without us, which is mostly libc. Whose memory
 * a pointer is follows from its address.
 */
/* What these declare and we define is seen by the whole program. */
#pragma GCC visibility push(default)
#include <malloc.h>
#include <stdlib.h>

#include "heap/program.h"
#pragma GCC visibility pop

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "base/log.h"
#include "base/setting.h"

static struct weft_heap region;
/* NULL before our constructor, and where there is no region. */
static struct weft_heap *heap;
static size_t least = SIZE_MAX;

struct weft_heap *weft_heap_of_program(void)
{
    return heap;
}

/* It has a malloc of its own, and at the end reads all that is mapped: as much as the host has. */
static int is_memcheck(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    return strstr(object->dlpi_name, "/vgpreload_memcheck") != NULL;
}

__attribute__((constructor)) static void begin(void)
{
    if (dl_iterate_phdr(is_memcheck, NULL)) {
        weft_log(WEFT_LOG_WARN, "there is no shared heap under valgrind");
        return;
    }
    least = weft_setting(WEFT_SETTING_SHARED_HEAP_LEAST);
    if (!weft_heap_open(&region, weft_setting(WEFT_SETTING_SHARED_HEAP_SIZE))) {
        weft_log(WEFT_LOG_WARN, "there is no shared heap: %s", strerror(errno));
        return;
    }
    heap = &region;
    weft_heap_statics_share(heap, least);
}

/* ---- The others' --------------------------------------------------------------------------- */

/* X(result, name, parameters) */
#define NEXT_MAP(X)                                                                               \
    X(void *, malloc, (size_t))                                                                   \
    X(void *, calloc, (size_t, size_t))                                                           \
    X(void *, realloc, (void *, size_t))                                                          \
    X(void, free, (void *))                                                                       \
    X(int, posix_memalign, (void **, size_t, size_t))                                             \
    X(void *, aligned_alloc, (size_t, size_t))                                                    \
    X(void *, memalign, (size_t, size_t))                                                         \
    X(void *, valloc, (size_t))                                                                   \
    X(void *, pvalloc, (size_t))                                                                  \
    X(size_t, malloc_usable_size, (void *))

static struct {
#define MEMBER(result, name, parameters) result(*name) parameters;
    NEXT_MAP(MEMBER)
#undef MEMBER
} next;

static atomic_int found; /* 0: not yet; 1: somebody looks; 2: they are known */

/* What dlsym itself allocates meanwhile; never given back. */
static _Alignas(16) char scraps[16384];
static atomic_size_t scraps_used;

static bool is_scrap(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)scraps < sizeof scraps;
}

static void *take_scrap(size_t bytes)
{
    size_t whole = (bytes + 15) / 16 * 16;
    size_t at = atomic_fetch_add(&scraps_used, whole);
    return at + whole <= sizeof scraps ? scraps + at : NULL;
}

/* False while they are being looked for. */
static bool find_next(void)
{
    int none = 0;
    if (atomic_load_explicit(&found, memory_order_acquire) == 2)
        return true;
    if (!atomic_compare_exchange_strong(&found, &none, 1))
        return none == 2;
#define FIND(result, name, parameters) *(void **)&next.name = dlsym(RTLD_NEXT, #name);
    NEXT_MAP(FIND)
#undef FIND
    atomic_store_explicit(&found, 2, memory_order_release);
    return true;
}

/* ---- Ours ---------------------------------------------------------------------------------- */

static bool is_ours(const void *memory)
{
    return heap && weft_heap_has(heap, memory);
}

/* NULL: the others must give it. */
static void *take(size_t bytes, size_t alignment)
{
    return bytes >= least && heap ? weft_heap_take(heap, bytes, alignment) : NULL;
}

static bool is_power_of_two(size_t number)
{
    return number && (number & (number - 1)) == 0;
}

/* What is wrong about an alignment the others shall say. */
static void *take_aligned(size_t alignment, size_t bytes)
{
    return is_power_of_two(alignment) ? take(bytes, alignment) : NULL;
}

void *malloc(size_t bytes)
{
    void *taken = take(bytes, 1);
    if (taken)
        return taken;
    return find_next() ? next.malloc(bytes) : take_scrap(bytes);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    void *taken = __builtin_mul_overflow(count, size, &bytes) ? NULL : take(bytes, 1);
    if (taken)
        return taken;
    return find_next() ? next.calloc(count, size) : take_scrap(bytes);
}

void free(void *memory)
{
    if (is_ours(memory))
        weft_heap_give(heap, memory);
    else if (memory && !is_scrap(memory) && find_next())
        next.free(memory);
}

size_t malloc_usable_size(void *memory)
{
    if (is_ours(memory))
        return weft_heap_room(heap, memory);
    return memory && !is_scrap(memory) && find_next() ? next.malloc_usable_size(memory) : 0;
}

/* ---- Across the border --------------------------------------------------------------------- */

static void *move(void *memory, size_t used, void *to, size_t bytes)
{
    if (to) {
        memcpy(to, memory, used < bytes ? used : bytes);
        free(memory);
    }
    return to;
}

static void *resize_ours(void *memory, size_t bytes)
{
    void *resized = bytes >= least ? weft_heap_resize(heap, memory, bytes) : NULL;
    if (resized)
        return resized;
    return move(memory, weft_heap_room(heap, memory), next.malloc(bytes), bytes);
}

void *realloc(void *memory, size_t bytes)
{
    if (!memory)
        return malloc(bytes);
    if (!find_next())
        return NULL;
    if (is_scrap(memory)) /* its length is forgotten, but not that of all of them */
        return move(memory, (size_t)(scraps + sizeof scraps - (char *)memory), malloc(bytes),
                    bytes);
    if (is_ours(memory)) {
        if (bytes)
            return resize_ours(memory, bytes);
        free(memory);
        return NULL;
    }
    void *taken = take(bytes, 1);
    if (taken)
        return move(memory, next.malloc_usable_size(memory), taken, bytes);
    return next.realloc(memory, bytes);
}

/* ---- Aligned ------------------------------------------------------------------------------- */

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *taken = alignment % sizeof(void *) == 0 ? take_aligned(alignment, bytes) : NULL;
    if (!taken)
        return find_next() ? next.posix_memalign(memory, alignment, bytes) : ENOMEM;
    *memory = taken;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *taken = take_aligned(alignment, bytes);
    return taken || !find_next() ? taken : next.aligned_alloc(alignment, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    void *taken = take_aligned(alignment, bytes);
    return taken || !find_next() ? taken : next.memalign(alignment, bytes);
}

void *valloc(size_t bytes)
{
    void *taken = take(bytes, 1);
    return taken || !find_next() ? taken : next.valloc(bytes);
}

void *pvalloc(size_t bytes)
{
    void *taken = take(bytes, 1);
    return taken || !find_next() ? taken : next.pvalloc(bytes);
}
