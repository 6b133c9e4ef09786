/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A region is shared, so a child of fork would write into the memory of its parent. The thread
 * that forks makes a copy of the region before, and the child maps that in its place. It costs a
 * copy of what is there; vfork, posix_spawn and system do without.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "heap/heap.h"

/* How a child ends that would have no memory of its own. */
#define NO_COPY 127

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_heap *heaps;

/* ---- Copying ------------------------------------------------------------------------------ */

/* The next part of the region that is not a hole; all of it if nobody can tell. */
static bool next_part(const struct weft_heap *heap, bool can_ask, size_t from, size_t end,
                      size_t *begin, size_t *length)
{
    size_t stop = end;
    if (can_ask) {
        off_t data = lseek((int)heap->id.fd, (off_t)from, SEEK_DATA);
        if (data < 0 || (size_t)data >= end)
            return false;
        off_t hole = lseek((int)heap->id.fd, data, SEEK_HOLE);
        from = (size_t)data;
        stop = hole > data && (size_t)hole < end ? (size_t)hole : end;
    }
    *begin = from;
    *length = stop - from;
    return from < end;
}

static bool write_all(int fd, const char *from, size_t at, size_t length)
{
    while (length) {
        ssize_t written = pwrite(fd, from, length, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        from += written;
        at += (size_t)written;
        length -= (size_t)written;
    }
    return true;
}

static bool copy_region(const struct weft_heap *heap, int to)
{
    bool can_ask = weft_heap_memory_is((int)heap->id.fd, &heap->id);
    const char *base = (const char *)(uintptr_t)heap->id.base;
    size_t end = heap->id.size / heap->runs.count * heap->runs.top, begin, length;
    for (size_t from = 0; next_part(heap, can_ask, from, end, &begin, &length);
         from = begin + length)
        if (!write_all(to, base + begin, begin, length))
            return false;
    return true;
}

static void make_copy(struct weft_heap *heap)
{
    heap->copy = weft_heap_memory_new(heap->id.size);
    if (heap->copy >= 0 && copy_region(heap, heap->copy))
        return;
    weft_log(WEFT_LOG_ERROR, "there is no memory to copy the shared heap for a child: %s",
             strerror(errno));
    if (heap->copy >= 0)
        close(heap->copy);
    heap->copy = -1;
}

static bool map_copy(const struct weft_heap *heap)
{
    const struct weft_heap_statics *statics = &heap->id.statics;
    void *base = (void *)(uintptr_t)heap->id.base, *begin = (void *)(uintptr_t)statics->begin;
    return heap->copy >= 0 && weft_heap_memory_map_at(heap->copy, 0, heap->id.size, base) &&
           (!statics->bytes ||
            weft_heap_memory_map_at(heap->copy, statics->offset, statics->bytes, begin));
}

static void move_to_copy(struct weft_heap *heap)
{
    if (!map_copy(heap))
        _exit(NO_COPY);
    if (weft_heap_memory_is((int)heap->id.fd, &heap->id))
        close((int)heap->id.fd);
    heap->id.fd = (uint64_t)heap->copy;
    heap->copy = -1;
}

/* ---- Around fork -------------------------------------------------------------------------- */

static void before(void)
{
    pthread_mutex_lock(&lock);
    for (struct weft_heap *heap = heaps; heap; heap = heap->next) {
        pthread_mutex_lock(&heap->lock);
        make_copy(heap);
    }
}

static void unlock_all(void)
{
    for (struct weft_heap *heap = heaps; heap; heap = heap->next)
        pthread_mutex_unlock(&heap->lock);
    pthread_mutex_unlock(&lock);
}

static void in_parent(void)
{
    for (struct weft_heap *heap = heaps; heap; heap = heap->next) {
        if (heap->copy >= 0)
            close(heap->copy);
        heap->copy = -1;
    }
    unlock_all();
}

static void in_child(void)
{
    for (struct weft_heap *heap = heaps; heap; heap = heap->next)
        move_to_copy(heap);
    unlock_all();
}

static void register_handlers(void)
{
    pthread_atfork(before, in_parent, in_child);
}

void weft_heap_fork_watch(struct weft_heap *heap)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_handlers);
    pthread_mutex_lock(&lock);
    heap->next = heaps;
    heaps = heap;
    pthread_mutex_unlock(&lock);
}

void weft_heap_fork_forget(struct weft_heap *heap)
{
    pthread_mutex_lock(&lock);
    struct weft_heap **link = &heaps;
    while (*link != heap)
        link = &(*link)->next;
    *link = heap->next;
    pthread_mutex_unlock(&lock);
}
