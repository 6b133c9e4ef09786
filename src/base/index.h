/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table through members of the stored objects. Objects of equal hash are found in the
 * order in which they were added. Adding may make the table larger; looking up never allocates.
 */
#ifndef WEFT_BASE_INDEX_H
#define WEFT_BASE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

struct weft_index_node {
    struct weft_list link;
    uint64_t hash;
};

struct weft_index {
    struct weft_list *buckets;
    uint64_t mask; /* number of buckets - 1 */
    uint64_t count;
};

/* False without memory. */
bool weft_index_init(struct weft_index *index);
void weft_index_fini(struct weft_index *index);

void weft_index_add(struct weft_index *index, struct weft_index_node *node, uint64_t hash);
void weft_index_remove(struct weft_index *index, struct weft_index_node *node);

/* Removes every node, and then calls `drop` for it. */
void weft_index_clear(struct weft_index *index, void (*drop)(struct weft_index_node *node));

/* All nodes of a hash, and others. */
static inline struct weft_list *weft_index_bucket(const struct weft_index *index, uint64_t hash)
{
    return &index->buckets[hash & index->mask];
}

/* The next node of the same hash after `link` in its bucket, or NULL. */
static inline struct weft_index_node *weft_index_from(const struct weft_index *index,
                                                      struct weft_list *link, uint64_t hash)
{
    struct weft_list *bucket = weft_index_bucket(index, hash);
    for (; link != bucket; link = link->next) {
        struct weft_index_node *node = weft_list_object(link, struct weft_index_node, link);
        if (node->hash == hash)
            return node;
    }
    return NULL;
}

static inline struct weft_index_node *weft_index_first(const struct weft_index *index,
                                                       uint64_t hash)
{
    return weft_index_from(index, weft_index_bucket(index, hash)->next, hash);
}

static inline struct weft_index_node *weft_index_next(const struct weft_index *index,
                                                      struct weft_index_node *node)
{
    return weft_index_from(index, node->link.next, node->hash);
}

#endif
