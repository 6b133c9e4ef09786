/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/together.h"

#include <string.h>

/* Bytes of one part: other events wait so long. */
#define PART ((uint64_t)1 << 20)

bool weft_net_together_sees(struct weft_net_neighbour *neighbour)
{
    const struct weft_net_locator_root *root = &neighbour->root;
    if (!neighbour->is_viewed)
        weft_heap_view_open(&neighbour->view, root->pid, &root->heap);
    neighbour->is_viewed = true;
    return neighbour->view.at != NULL;
}

/* ---- Reading ------------------------------------------------------------------------------ */

static bool fail(struct weft_request *request, enum weft_net_fallback reason)
{
    request->net->counters.fallbacks[reason]++;
    return false;
}

static const struct weft_heap_view *view_of(const struct weft_request *request)
{
    return &request->net->peers[request->pull.from].neighbour->view;
}

/* After the data was read: as long as its number is there, nobody has used the memory for anything
 * else. */
static bool is_still_there(const struct weft_request *request)
{
    const struct weft_net_pull *pull = &request->pull;
    const struct weft_net_locator *locator =
        weft_heap_view_of(view_of(request), pull->locator_address, sizeof *locator);
    atomic_thread_fence(memory_order_acquire);
    return locator && atomic_load_explicit(&locator->number, memory_order_acquire) == pull->bits;
}

bool weft_net_together_read(struct weft_request *request, void *to, uint64_t address,
                            size_t length)
{
    const void *from = weft_heap_view_of(view_of(request), address, length);
    if (!from || !is_still_there(request))
        return fail(request, WEFT_NET_FALLBACK_GONE);
    memcpy(to, from, length);
    return is_still_there(request) || fail(request, WEFT_NET_FALLBACK_GONE);
}

/* ---- Copying ------------------------------------------------------------------------------ */

static const weft_type *type_of(const struct weft_net_layout *layout)
{
    return layout->type ? layout->type : weft_basic(WEFT_BYTE);
}

static size_t count_of(const struct weft_net_layout *layout)
{
    return layout->type ? layout->count : layout->length;
}

/* A layout of the peer where we see it; false if not all of it is in its heap. */
static bool move_into_view(const struct weft_heap_view *view, struct weft_net_layout *layout)
{
    struct weft_net_layout_span span;
    const char *seen = weft_net_layout_find_span(layout, &span)
                           ? weft_heap_view_of(view, span.begin, span.bytes)
                           : NULL;
    if (!seen)
        return false;
    layout->base = (char *)((uintptr_t)layout->base + (uintptr_t)seen - span.begin);
    return true;
}

static bool copy(const struct weft_net_layout *to, const struct weft_net_layout *from,
                 uint64_t begin, uint64_t length)
{
    return weft_copy(type_of(to), count_of(to), to->base, type_of(from), count_of(from),
                     from->base, begin, length) == WEFT_OK;
}

bool weft_net_together_copy(struct weft_request *request, const struct weft_net_layout *theirs)
{
    struct weft_net_pull *pull = &request->pull;
    struct weft_net_layout from = *theirs;
    uint64_t length = pull->end - pull->begin < PART ? pull->end - pull->begin : PART;
    uint64_t since = weft_net_layout_begin();
    if (!move_into_view(view_of(request), &from) ||
        !copy(&request->layout, &from, pull->begin, length))
        return fail(request, WEFT_NET_FALLBACK_LAYOUT);
    if (!is_still_there(request))
        return fail(request, WEFT_NET_FALLBACK_GONE);
    weft_net_layout_scattered(&request->layout, since);
    request->net->counters.together_bytes += length;
    pull->begin += length;
    return true;
}
