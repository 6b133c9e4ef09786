/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/view.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The name is looked at first, because merely opening what a recycled number leads to could do
 * harm. */
static int open_memory(uint64_t pid, uint64_t fd)
{
    static const char wanted[] = "/memfd:weft ";
    char path[64], target[sizeof wanted];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/fd/%" PRIu64, pid, fd);
    ssize_t length = readlink(path, target, sizeof target);
    if (length < (ssize_t)sizeof wanted - 1 || memcmp(target, wanted, sizeof wanted - 1) != 0)
        return -1;
    return open(path, O_RDWR | O_CLOEXEC);
}

bool weft_heap_view_open(struct weft_heap_view *view, uint64_t pid, const struct weft_heap_id *id)
{
    *view = (struct weft_heap_view){0};
    if (id->key == 0)
        return false;
    int fd = open_memory(pid, id->fd);
    if (fd < 0)
        return false;
    char *at = weft_heap_memory_is(fd, id) ? weft_heap_memory_map(fd, id->size) : NULL;
    close(fd);
    if (!at)
        return false;
    /* Children would only hold on to it. */
    madvise(at, id->size, MADV_DONTFORK);
    *view = (struct weft_heap_view){*id, at};
    return true;
}

void weft_heap_view_close(struct weft_heap_view *view)
{
    if (view->at)
        munmap(view->at, view->id.size);
    view->at = NULL;
}
