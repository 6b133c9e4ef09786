/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of one kind that never move, found by small ids. An id holds the place of its object
 * and a generation, so that an id of an object that was given back is not taken for its successor.
 * Memory grows by chunks up to a limit and is kept until the end.
 */
#ifndef WEFT_BASE_POOL_H
#define WEFT_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_POOL_INDEX_BITS 18
#define WEFT_POOL_GENERATION_BITS 9
#define WEFT_POOL_ID_BITS (WEFT_POOL_INDEX_BITS + WEFT_POOL_GENERATION_BITS)
#define WEFT_POOL_INDEX_MASK ((1u << WEFT_POOL_INDEX_BITS) - 1)
/* Few: simulated NICs by the hundred thousand have pools of their own. */
#define WEFT_POOL_CHUNK 8u
/* Chunks are made whole, and the index of all ones is never used. */
#define WEFT_POOL_MOST (WEFT_POOL_INDEX_MASK - WEFT_POOL_INDEX_MASK % WEFT_POOL_CHUNK)

/* The first member of every object. */
struct weft_pool_slot {
    uint32_t id;   /* never 0 */
    uint32_t next; /* of the free ones; 0 while the object is in use */
};

struct weft_pool {
    size_t object_size;
    uint32_t limit;      /* objects in use at one time */
    uint32_t generation; /* of the next chunk */
    uint32_t used;
    uint32_t made; /* objects in the chunks */
    uint32_t free; /* index + 1 of the first free one */
    uint32_t chunk_count;
    unsigned char **chunks;
};

/* `generation`, of any value, is of the first ids: give another to the successor of a pool whose
 * ids may still be known. */
void weft_pool_init(struct weft_pool *pool, size_t object_size, uint32_t limit,
                    uint32_t generation);
void weft_pool_fini(struct weft_pool *pool);

/* An object of zeros behind its slot, or NULL at the limit or without memory. */
void *weft_pool_take(struct weft_pool *pool);
void weft_pool_give(struct weft_pool *pool, void *object);

static inline struct weft_pool_slot *weft_pool_at(const struct weft_pool *pool, uint32_t index)
{
    return (struct weft_pool_slot *)(pool->chunks[index / WEFT_POOL_CHUNK] +
                                     index % WEFT_POOL_CHUNK * pool->object_size);
}

/* Whether an object that an id once found is still the one. Its memory stays until the end. */
static inline int weft_pool_is(const struct weft_pool_slot *slot, uint32_t id)
{
    return slot->id == id && slot->next == 0;
}

/* The object of an id; NULL if there is none, or no longer. */
static inline void *weft_pool_find(const struct weft_pool *pool, uint32_t id)
{
    uint32_t index = id & WEFT_POOL_INDEX_MASK;
    if (index >= pool->made)
        return NULL;
    struct weft_pool_slot *slot = weft_pool_at(pool, index);
    return weft_pool_is(slot, id) ? slot : NULL;
}

#endif
