/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/layout.h"

#include <string.h>

#include "client/client.h"

/* What a message of Portals can have. */
#define LONGEST ((size_t)1 << 47)

static int open_typed(struct weft_schedule_layout *layout,
                      const struct weft_schedule_memory *memory)
{
    struct weft_type_info info;
    size_t whole, end;
    int error = weft_type_query(memory->type, &info, sizeof info);
    if (error)
        return error;
    if (!info.committed)
        return WEFT_ERR_NOT_COMMITTED;
    if (__builtin_mul_overflow(memory->count, info.size, &whole) || whole > LONGEST)
        return WEFT_ERR_OVERFLOW;
    if (__builtin_add_overflow(memory->offset, memory->length, &end) || end > whole)
        return WEFT_ERR_RANGE;
    if (memory->length == 0)
        return WEFT_OK;
    layout->memory = weft_client_memory(&info);
    layout->priority = info.priority;
    if (!info.contiguous)
        return weft_type_dup(memory->type, &layout->type);
    /* As numbers: displacements may be addresses, from a base that is NULL. */
    layout->base = (char *)((uintptr_t)layout->base + (uintptr_t)info.true_lb + layout->offset);
    layout->offset = 0;
    return WEFT_OK;
}

int weft_schedule_layout_open(struct weft_schedule_layout *layout,
                              const struct weft_schedule_memory *memory)
{
    struct weft_schedule_layout opened = {.count = memory->count,
                                          .base = memory->base,
                                          .offset = memory->offset,
                                          .length = memory->length};
    if (memory->length > LONGEST)
        return WEFT_ERR_OVERFLOW;
    int error = WEFT_OK;
    if (memory->type) {
        error = open_typed(&opened, memory);
    } else if (memory->length) {
        opened.base = (char *)((uintptr_t)opened.base + memory->offset);
        opened.offset = 0;
    }
    if (!error)
        *layout = opened;
    return error;
}

void weft_schedule_layout_close(struct weft_schedule_layout *layout)
{
    weft_type_free(layout->type);
    layout->type = NULL;
}

static void gather(const void *context, ptl_size_t offset, void *to, ptl_size_t length)
{
    const struct weft_schedule_layout *layout = context;
    weft_pack(layout->type, layout->count, layout->base, layout->offset + offset, to, length);
}

static void scatter(const void *context, ptl_size_t offset, const void *from, ptl_size_t length)
{
    const struct weft_schedule_layout *layout = context;
    weft_unpack(layout->type, layout->count, layout->base, layout->offset + offset, from, length);
}

void weft_schedule_layout_read(const struct weft_schedule_layout *layout, void *to)
{
    if (layout->type)
        gather(layout, 0, to, layout->length);
    else
        memcpy(to, layout->base, layout->length);
}

void weft_schedule_layout_write(const struct weft_schedule_layout *layout, const void *from)
{
    if (layout->type)
        scatter(layout, 0, from, layout->length);
    else
        memcpy(layout->base, from, layout->length);
}

void weft_schedule_layout_show(const struct weft_schedule_layout *layout,
                               struct weft_schedule_layout_view *view)
{
    if (!layout->type) {
        *view =
            (struct weft_schedule_layout_view){.start = layout->base, .length = layout->length};
        return;
    }
    *view = (struct weft_schedule_layout_view){
        .functions = {layout->length, gather, scatter, layout, layout->memory, layout->priority},
        .start = &view->functions,
        .options = PTL_LAYOUT,
    };
}
