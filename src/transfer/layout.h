/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of one side of a transfer: elements of a type, as a packed stream that Portals reads
 * and writes in place. It holds the type by itself, so that the caller may free it.
 */
#ifndef WEFT_TRANSFER_LAYOUT_H
#define WEFT_TRANSFER_LAYOUT_H

#include <portals4_layout.h>
#include <stdbool.h>

#include <weft.h>

struct weft_net_layout {
    weft_type *type; /* NULL: the stream is one block of memory, at `base` */
    size_t count;
    char *base;
    size_t length; /* of the packed stream */
    size_t piece;  /* bytes that lie together, on average */
    size_t memory; /* of the NIC, while HPUs move it */
    unsigned priority;
};

/* A weft_error if the type cannot be used, or the stream is too long for a message. */
int weft_net_layout_open(struct weft_net_layout *layout, const weft_type *type, size_t count,
                         const void *base);
void weft_net_layout_close(struct weft_net_layout *layout);

/* All that lies between its first and its last byte in memory, as numbers. */
struct weft_net_layout_span {
    uint64_t begin, bytes;
};

/* False if there is no memory that long. */
bool weft_net_layout_find_span(const struct weft_net_layout *layout,
                               struct weft_net_layout_span *span);

/* Whether all of it lies in the heap. */
struct weft_heap;
bool weft_net_layout_is_in(const struct weft_net_layout *layout, const struct weft_heap *heap);

/* The first bytes of the stream, from and to other memory. */
void weft_net_layout_read(const struct weft_net_layout *layout, void *to, size_t length);
void weft_net_layout_write(const struct weft_net_layout *layout, const void *from, size_t length);

/* From now on somebody wants to know how long data takes to be gathered from layouts, and
 * scattered into them. Called by whichever thread has moved it. */
typedef void weft_net_layout_listener(const weft_type *type, bool is_gathered,
                                      uint64_t nanoseconds);
void weft_net_layout_listen(weft_net_layout_listener *listener);

/* For data that moves otherwise: when it begins, and when it is in its place. */
uint64_t weft_net_layout_begin(void);
void weft_net_layout_scattered(const struct weft_net_layout *layout, uint64_t since);

/* What descriptors and entries say of their memory. */
struct weft_net_layout_view {
    ptl_layout_t functions;
    void *start;
    ptl_size_t length;
    unsigned options;
};

/* The view points into itself and to the layout, which must stay while it is used. */
void weft_net_layout_show(const struct weft_net_layout *layout, struct weft_net_layout_view *view);

/* An entry of that memory; what it matches is left to the caller. */
ptl_me_t weft_net_layout_entry(const struct weft_net_layout_view *view, unsigned options);

#endif
