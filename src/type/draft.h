/* SPDX-License-Identifier: BSD-3-Clause */
/* What makes a node, in plain 64-bit arrays that are only read, and how it becomes one. */
#ifndef WEFT_TYPE_DRAFT_H
#define WEFT_TYPE_DRAFT_H

#include "type/node.h"

struct weft_type_node_draft {
    enum weft_type_node_kind kind;
    uint64_t size;
    uint64_t count;
    int64_t stride;
    const struct weft_type_node *child;
    const int64_t *where;
    const uint64_t *end; /* seq, and lists of varied entries */
    const struct weft_type_node *const *members;
};

uint64_t weft_type_draft_hash(const struct weft_type_node_draft *draft);
bool weft_type_draft_equals(const struct weft_type_node_draft *draft,
                            const struct weft_type_node *node);

/* Allocates the node with all its arrays as one piece of memory, for free(); or puts a node
 * without arrays into `place`. It begins with `header` zeroed bytes, of which the node is the
 * first part. WEFT_ERR_OVERFLOW, _DEPTH or _MEMORY. */
int weft_type_draft_build(const struct weft_type_node_draft *draft, uint64_t hash, size_t header,
                          void *place, struct weft_type_node **out);

#endif
