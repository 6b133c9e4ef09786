/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/index.h"

#include <stdlib.h>

#include "base/large.h"

#define FIRST_BUCKETS 64
#define SPARSE_BUCKETS 4096 /* from so many on, there are two for each node */

static struct weft_list *make_buckets(uint64_t count)
{
    struct weft_list *buckets = weft_large_alloc(count, sizeof *buckets);
    for (uint64_t i = 0; buckets && i < count; i++)
        weft_list_init(&buckets[i]);
    return buckets;
}

bool weft_index_init(struct weft_index *index)
{
    *index = (struct weft_index){make_buckets(FIRST_BUCKETS), FIRST_BUCKETS - 1, 0};
    return index->buckets != NULL;
}

void weft_index_fini(struct weft_index *index)
{
    free(index->buckets);
    *index = (struct weft_index){0};
}

/* Bucket by bucket from the front, so that nodes of equal hash keep their order. */
static void move_all(struct weft_index *index, struct weft_list *buckets, uint64_t mask)
{
    for (uint64_t i = 0; i <= index->mask; i++)
        while (!weft_list_is_empty(&index->buckets[i])) {
            struct weft_list *link = index->buckets[i].next;
            struct weft_index_node *node = weft_list_object(link, struct weft_index_node, link);
            weft_list_remove(link);
            weft_list_append(&buckets[node->hash & mask], link);
        }
}

static void grow(struct weft_index *index)
{
    uint64_t mask = index->mask * 2 + 1;
    struct weft_list *buckets = make_buckets(mask + 1);
    if (!buckets)
        return; /* longer chains are slower, not wrong */
    move_all(index, buckets, mask);
    free(index->buckets);
    index->buckets = buckets;
    index->mask = mask;
}

/* Of many nodes, each that is passed on the way to another is one more that is in no cache: there
 * shall be few such. */
static bool is_full(const struct weft_index *index)
{
    uint64_t most = index->mask < SPARSE_BUCKETS ? index->mask : index->mask / 2;
    return index->count > most;
}

void weft_index_add(struct weft_index *index, struct weft_index_node *node, uint64_t hash)
{
    if (is_full(index))
        grow(index);
    node->hash = hash;
    weft_list_append(&index->buckets[hash & index->mask], &node->link);
    index->count++;
}

void weft_index_remove(struct weft_index *index, struct weft_index_node *node)
{
    weft_list_remove(&node->link);
    index->count--;
}

void weft_index_clear(struct weft_index *index, void (*drop)(struct weft_index_node *node))
{
    for (uint64_t i = 0; index->buckets && i <= index->mask; i++)
        while (!weft_list_is_empty(&index->buckets[i])) {
            struct weft_index_node *node =
                weft_list_object(index->buckets[i].next, struct weft_index_node, link);
            weft_index_remove(index, node);
            drop(node);
        }
}
