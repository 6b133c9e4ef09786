/* SPDX-License-Identifier: BSD-3-Clause */
/* A range of the packed stream of some memory, as Portals reads and writes it. */
#ifndef WEFT_SCHEDULE_LAYOUT_H
#define WEFT_SCHEDULE_LAYOUT_H

#include <portals4_layout.h>

#include <weft_schedule.h>

struct weft_schedule_layout {
    weft_type *type; /* NULL: the range is one block of memory, at `base` */
    size_t count;
    char *base;
    size_t offset; /* of the range in the stream of the type */
    size_t length;
    size_t memory; /* of the NIC, while HPUs move it */
    unsigned priority;
};

/* It holds the type by itself. */
int weft_schedule_layout_open(struct weft_schedule_layout *layout,
                              const struct weft_schedule_memory *memory);
void weft_schedule_layout_close(struct weft_schedule_layout *layout);

/* All of it. */
void weft_schedule_layout_read(const struct weft_schedule_layout *layout, void *to);
void weft_schedule_layout_write(const struct weft_schedule_layout *layout, const void *from);

/* What descriptors and entries say of it. The view points into itself and to the layout. */
struct weft_schedule_layout_view {
    ptl_layout_t functions;
    void *start;
    ptl_size_t length;
    unsigned options;
};
void weft_schedule_layout_show(const struct weft_schedule_layout *layout,
                               struct weft_schedule_layout_view *view);

#endif
