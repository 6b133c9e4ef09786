/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/ready.h"

#include "base/hash.h"

/* The type is not part of it: a hash of it takes longer than to compare some. */
static struct weft_net_ready *set_of(struct weft_net_ready_table *table, size_t count,
                                     const void *base)
{
    uint64_t hash = weft_hash_mix((uintptr_t)base, count);
    return table->entries[(hash >> 32) % WEFT_NET_READY_SETS];
}

struct weft_net_ready *weft_net_ready_find(struct weft_net_ready_table *table,
                                           const weft_type *type, size_t count, const void *base)
{
    struct weft_net_ready *set = set_of(table, count, base);
    for (unsigned i = 0; i < WEFT_NET_READY_WAYS; i++) {
        const struct weft_net_layout *layout = &set[i].layout;
        if (layout->type && layout->base == base && layout->count == count &&
            weft_type_equal(layout->type, type)) {
            set[i].users++;
            set[i].last = ++table->uses;
            return &set[i];
        }
    }
    return NULL;
}

static bool clear(struct weft_net_ready *ready)
{
    if (!ready->layout.type)
        return true;
    if (ready->users)
        return false;
    if (ready->md != PTL_INVALID_HANDLE && PtlMDRelease(ready->md) == PTL_IN_USE)
        return false;
    weft_net_layout_close(&ready->layout);
    return true;
}

struct weft_net_ready *weft_net_ready_keep(struct weft_net_ready_table *table,
                                           const struct weft_net_layout *layout)
{
    struct weft_net_ready *set = set_of(table, layout->count, layout->base);
    struct weft_net_ready *oldest = NULL;
    for (unsigned i = 0; i < WEFT_NET_READY_WAYS; i++)
        if (!set[i].users && (!oldest || set[i].last < oldest->last))
            oldest = &set[i];
    if (!oldest || !clear(oldest))
        return NULL;
    *oldest = (struct weft_net_ready){
        .layout = *layout, .md = PTL_INVALID_HANDLE, .users = 1, .last = ++table->uses};
    return oldest;
}

bool weft_net_ready_end(struct weft_net_ready_table *table)
{
    bool is_over = true;
    for (unsigned i = 0; i < WEFT_NET_READY_SETS * WEFT_NET_READY_WAYS; i++)
        is_over =
            clear(&table->entries[i / WEFT_NET_READY_WAYS][i % WEFT_NET_READY_WAYS]) && is_over;
    return is_over;
}
