/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/layout.h"

#include <string.h>

#include "base/clock.h"
#include "client/client.h"
#include "heap/heap.h"

/* What a message of Portals can have. */
#define LONGEST ((size_t)1 << 47)

static bool is_block(const struct weft_type_info *info, size_t count)
{
    return info->contiguous || (count == 1 && info->pieces == 1);
}

int weft_net_layout_open(struct weft_net_layout *layout, const weft_type *type, size_t count,
                         const void *base)
{
    struct weft_type_info info;
    size_t length;
    int error = weft_type_query(type, &info, sizeof info);
    if (error)
        return error;
    if (!info.committed)
        return WEFT_ERR_NOT_COMMITTED;
    if (__builtin_mul_overflow(count, info.size, &length) || length > LONGEST)
        return WEFT_ERR_OVERFLOW;
    *layout = (struct weft_net_layout){.count = count, .base = (char *)base, .length = length};
    if (length == 0)
        return WEFT_OK;
    layout->piece = info.contiguous ? length : info.size / info.pieces;
    layout->memory = weft_client_memory(&info);
    layout->priority = info.priority;
    if (!is_block(&info, count))
        return weft_type_dup(type, &layout->type);
    /* As numbers: displacements may be addresses, from a base that is NULL. */
    layout->base = (char *)((uintptr_t)base + (uintptr_t)info.true_lb);
    return WEFT_OK;
}

void weft_net_layout_close(struct weft_net_layout *layout)
{
    weft_type_free(layout->type);
    layout->type = NULL;
}

bool weft_net_layout_find_span(const struct weft_net_layout *layout,
                               struct weft_net_layout_span *span)
{
    struct weft_type_info info;
    ptrdiff_t last, width;
    *span = (struct weft_net_layout_span){(uintptr_t)layout->base, layout->length};
    if (!layout->type)
        return true;
    if (layout->count == 0 || layout->count > PTRDIFF_MAX ||
        weft_type_query(layout->type, &info, sizeof info) != WEFT_OK ||
        __builtin_mul_overflow(info.extent, (ptrdiff_t)layout->count - 1, &last) ||
        __builtin_add_overflow(info.true_extent, last < 0 ? -last : last, &width))
        return false;
    span->begin += (uint64_t)info.true_lb + (last < 0 ? (uint64_t)last : 0);
    span->bytes = (uint64_t)width;
    return true;
}

bool weft_net_layout_is_in(const struct weft_net_layout *layout, const struct weft_heap *heap)
{
    struct weft_net_layout_span span;
    return weft_net_layout_find_span(layout, &span) &&
           weft_heap_has_all(heap, span.begin, span.bytes);
}

static weft_net_layout_listener *listener;

void weft_net_layout_listen(weft_net_layout_listener *new_listener)
{
    listener = new_listener;
}

uint64_t weft_net_layout_begin(void)
{
    return listener ? weft_clock_now() : 0;
}

static void tell(const struct weft_net_layout *layout, bool is_gathered, uint64_t since)
{
    if (since && layout->type)
        listener(layout->type, is_gathered, weft_clock_now() - since);
}

void weft_net_layout_scattered(const struct weft_net_layout *layout, uint64_t since)
{
    tell(layout, false, since);
}

static void gather(const void *context, ptl_size_t offset, void *to, ptl_size_t length)
{
    const struct weft_net_layout *layout = context;
    uint64_t since = weft_net_layout_begin();
    weft_pack(layout->type, layout->count, layout->base, offset, to, length);
    tell(layout, true, since);
}

static void scatter(const void *context, ptl_size_t offset, const void *from, ptl_size_t length)
{
    const struct weft_net_layout *layout = context;
    uint64_t since = weft_net_layout_begin();
    weft_unpack(layout->type, layout->count, layout->base, offset, from, length);
    tell(layout, false, since);
}

void weft_net_layout_read(const struct weft_net_layout *layout, void *to, size_t length)
{
    if (layout->type)
        gather(layout, 0, to, length);
    else if (length)
        memcpy(to, layout->base, length);
}

void weft_net_layout_write(const struct weft_net_layout *layout, const void *from, size_t length)
{
    if (layout->type)
        scatter(layout, 0, from, length);
    else if (length)
        memcpy(layout->base, from, length);
}

void weft_net_layout_show(const struct weft_net_layout *layout, struct weft_net_layout_view *view)
{
    if (!layout->type) {
        *view = (struct weft_net_layout_view){.start = layout->base, .length = layout->length};
        return;
    }
    *view = (struct weft_net_layout_view){
        .functions = {layout->length, gather, scatter, layout, layout->memory, layout->priority},
        .start = &view->functions,
        .options = PTL_LAYOUT,
    };
}

ptl_me_t weft_net_layout_entry(const struct weft_net_layout_view *view, unsigned options)
{
    return (ptl_me_t){.start = view->start,
                      .length = view->length,
                      .ct_handle = PTL_CT_NONE,
                      .uid = PTL_UID_ANY,
                      .options = view->options | options};
}
