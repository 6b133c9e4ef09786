/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* Small enough that what a granule wastes is little address space, and no memory. */
#define GRANULE ((size_t)65536)
#define PAGE ((size_t)4096)

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* ---- The region --------------------------------------------------------------------------- */

static size_t memory_of_host(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : GRANULE;
}

static size_t granules_of(size_t size)
{
    size_t granules = (size ? size : memory_of_host()) / GRANULE + 1;
    return granules < WEFT_HEAP_RUNS_MOST ? granules : WEFT_HEAP_RUNS_MOST;
}

static bool open_records(struct weft_heap *heap, uint32_t granules)
{
    size_t runs = round_up(weft_heap_runs_bytes(granules), PAGE);
    heap->records_size = runs + granules * sizeof *heap->pages;
    char *records = mmap(NULL, heap->records_size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (records == MAP_FAILED)
        return false;
    weft_heap_runs_open(&heap->runs, records, granules);
    heap->pages = (uint32_t *)(records + runs);
    return true;
}

static bool open_region(struct weft_heap *heap, size_t size)
{
    int fd = weft_heap_memory_new(size);
    if (fd < 0)
        return false;
    void *base = weft_heap_memory_map(fd, size);
    uint64_t key;
    if (!base || getrandom(&key, sizeof key, 0) != (ssize_t)sizeof key) {
        if (base)
            munmap(base, size);
        close(fd);
        return false;
    }
    heap->id = (struct weft_heap_id){
        .key = key | 1, .base = (uintptr_t)base, .size = size, .fd = (uint64_t)fd};
    return true;
}

bool weft_heap_open(struct weft_heap *heap, size_t size)
{
    uint32_t granules = (uint32_t)granules_of(size);
    *heap = (struct weft_heap){.lock = PTHREAD_MUTEX_INITIALIZER, .copy = -1};
    if (!open_records(heap, granules))
        return false;
    if (!open_region(heap, granules * GRANULE)) {
        munmap(heap->runs.of, heap->records_size);
        return false;
    }
    memcpy((void *)(uintptr_t)heap->id.base, &heap->id.key, sizeof heap->id.key);
    weft_heap_runs_take(&heap->runs, 1, 1);
    weft_heap_fork_watch(heap);
    return true;
}

void weft_heap_close(struct weft_heap *heap)
{
    weft_heap_fork_forget(heap);
    munmap((void *)(uintptr_t)heap->id.base, heap->id.size);
    munmap(heap->runs.of, heap->records_size);
    if (weft_heap_memory_is((int)heap->id.fd, &heap->id))
        close((int)heap->id.fd);
}

/* ---- Allocations -------------------------------------------------------------------------- */

static char *place_of(const struct weft_heap *heap, uint32_t granule)
{
    return (char *)(uintptr_t)heap->id.base + granule * GRANULE;
}

/* What does not begin an allocation is a defect of the program, as it would be for malloc. */
static uint32_t run_of(const struct weft_heap *heap, const void *memory)
{
    size_t offset = (uintptr_t)memory - heap->id.base;
    uint32_t first = (uint32_t)(offset / GRANULE);
    if (offset % GRANULE != 0 || first == 0 || weft_heap_runs_length(&heap->runs, first) == 0)
        abort();
    return first;
}

/* By the address, never by the descriptor: the program may have closed that, and others got its
 * number. */
static void make_hole(char *begin, char *end)
{
    int before = errno;
    if (begin < end && madvise(begin, (size_t)(end - begin), MADV_REMOVE) != 0)
        memset(begin, 0, (size_t)(end - begin));
    errno = before;
}

/* False if there can be no so large one. */
static bool measure(const struct weft_heap *heap, size_t bytes, uint32_t *granules,
                    uint32_t *pages)
{
    if (bytes > heap->id.size)
        return false;
    *granules = bytes ? (uint32_t)(round_up(bytes, GRANULE) / GRANULE) : 1;
    *pages = bytes ? (uint32_t)(round_up(bytes, PAGE) / PAGE) : 1;
    return true;
}

void *weft_heap_take(struct weft_heap *heap, size_t bytes, size_t alignment)
{
    uint32_t granules, pages;
    size_t steps = alignment > GRANULE ? alignment / GRANULE : 1;
    if (!measure(heap, bytes, &granules, &pages) || alignment > WEFT_HEAP_ALIGNMENT)
        return NULL;
    pthread_mutex_lock(&heap->lock);
    uint32_t first = weft_heap_runs_take(&heap->runs, granules, (uint32_t)steps);
    if (first != WEFT_HEAP_RUNS_NONE)
        heap->pages[first] = pages;
    pthread_mutex_unlock(&heap->lock);
    return first == WEFT_HEAP_RUNS_NONE ? NULL : place_of(heap, first);
}

void weft_heap_give(struct weft_heap *heap, void *memory)
{
    pthread_mutex_lock(&heap->lock);
    uint32_t first = run_of(heap, memory);
    uint32_t granules = weft_heap_runs_length(&heap->runs, first);
    pthread_mutex_unlock(&heap->lock);
    /* While it is still taken: the next owner relies on zeros. */
    make_hole(memory, place_of(heap, first + granules));
    pthread_mutex_lock(&heap->lock);
    weft_heap_runs_give(&heap->runs, first);
    pthread_mutex_unlock(&heap->lock);
}

/* Returns how many bytes were usable before. */
static size_t resize_here(struct weft_heap *heap, void *memory, uint32_t granules, uint32_t pages,
                          bool *is_done)
{
    pthread_mutex_lock(&heap->lock);
    uint32_t first = run_of(heap, memory), old = heap->pages[first];
    /* Before the granules behind it go to somebody else. */
    if (pages < old)
        make_hole((char *)memory + pages * PAGE,
                  place_of(heap, first + weft_heap_runs_length(&heap->runs, first)));
    *is_done = weft_heap_runs_resize(&heap->runs, first, granules);
    if (*is_done)
        heap->pages[first] = pages;
    pthread_mutex_unlock(&heap->lock);
    return old * PAGE;
}

void *weft_heap_resize(struct weft_heap *heap, void *memory, size_t bytes)
{
    uint32_t granules, pages;
    bool is_done;
    if (!measure(heap, bytes, &granules, &pages))
        return NULL;
    size_t used = resize_here(heap, memory, granules, pages, &is_done);
    if (is_done)
        return memory;
    void *moved = weft_heap_take(heap, bytes, 1);
    if (moved) {
        memcpy(moved, memory, used < bytes ? used : bytes);
        weft_heap_give(heap, memory);
    }
    return moved;
}

size_t weft_heap_room(struct weft_heap *heap, const void *memory)
{
    pthread_mutex_lock(&heap->lock);
    size_t room = heap->pages[run_of(heap, memory)] * PAGE;
    pthread_mutex_unlock(&heap->lock);
    return room;
}
