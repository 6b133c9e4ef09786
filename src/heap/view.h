/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The region of another process of this host, mapped. Its descriptor is found by number below
 * /proc, as the segments of world/shm are: only processes of the same user get there, and the key,
 * which its owner tells its job alone, proves that it is the right one.
 */
#ifndef WEFT_HEAP_VIEW_H
#define WEFT_HEAP_VIEW_H

#include "heap/heap.h"

struct weft_heap_view {
    struct weft_heap_id id;
    char *at; /* where we have mapped it; NULL: we have not */
};

bool weft_heap_view_open(struct weft_heap_view *view, uint64_t pid, const struct weft_heap_id *id);
void weft_heap_view_close(struct weft_heap_view *view);

/* Where we see what its owner has at that address; NULL unless all of it is in the region. */
static inline void *weft_heap_view_of(const struct weft_heap_view *view, uint64_t address,
                                      uint64_t bytes)
{
    uint64_t offset;
    return view->at && weft_heap_find(&view->id, address, bytes, &offset) ? view->at + offset
                                                                          : NULL;
}

#endif
