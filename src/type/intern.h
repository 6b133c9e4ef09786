/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All nodes of the process live in one hash table, so that building an equal node again is a
 * look-up and equal nodes are the same pointer. A node whose last reference goes stays in the
 * table for a while (WEFT_TYPE_CACHE bytes, least recently freed first out): programs that rebuild
 * the same type every step pay for it once.
 */
#ifndef WEFT_TYPE_INTERN_H
#define WEFT_TYPE_INTERN_H

#include <weft.h>

#include "base/private.h"
#include "type/draft.h"

/* The node for a draft, with a reference for the caller. WEFT_ERR_OVERFLOW, _DEPTH or _MEMORY. */
int weft_type_node_intern(const struct weft_type_node_draft *draft,
                          const struct weft_type_node **out);

/* The block of a basic type, which has that many bytes; for one thread at a time. It is there
 * without memory, too: programs do not expect that there is no double. */
const struct weft_type_node *weft_type_node_of_basic(enum weft_basic kind, uint64_t size);

const struct weft_type_node *weft_type_node_retain(const struct weft_type_node *node);
/* NULL is allowed. */
WEFT_PRIVATE void weft_type_node_release(const struct weft_type_node *node);

/* Bytes of the node and all below it; members shared within one seq count once. */
size_t weft_type_node_memory(const struct weft_type_node *node);

/* Found out at the first call and kept (overlap.c). */
bool weft_type_node_may_overlap(const struct weft_type_node *node);

/* How often a node was found instead of built: for tests and reports. */
uint64_t weft_type_node_intern_hits(void);

#endif
