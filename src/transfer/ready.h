/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts that were used before, with their descriptors: a program that sends the same faces of
 * the same array every step prepares nothing after the first. An entry holds the type by itself
 * and is found by equality, so nothing that a program frees or builds again makes it wrong; the
 * oldest one that nobody uses makes room for the next.
 */
#ifndef WEFT_TRANSFER_READY_H
#define WEFT_TRANSFER_READY_H

#include "transfer/layout.h"

#define WEFT_NET_READY_SETS 16u
#define WEFT_NET_READY_WAYS 8u

struct weft_net_ready {
    struct weft_net_layout layout; /* without a type: the entry is free */
    ptl_handle_md_t md;            /* bound when it is first needed */
    uint32_t users;
    uint64_t last; /* when it was last used, in uses */
};

struct weft_net_ready_table {
    struct weft_net_ready entries[WEFT_NET_READY_SETS][WEFT_NET_READY_WAYS];
    uint64_t uses;
};

/* NULL if there is none; else the caller is a user. */
struct weft_net_ready *weft_net_ready_find(struct weft_net_ready_table *table,
                                           const weft_type *type, size_t count, const void *base);

/* Takes over a layout that has a type; NULL if all its places are in use, and the layout stays the
 * caller's. */
struct weft_net_ready *weft_net_ready_keep(struct weft_net_ready_table *table,
                                           const struct weft_net_layout *layout);

/* Gives back all entries; false while the NIC uses one. */
bool weft_net_ready_end(struct weft_net_ready_table *table);

#endif
