/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"

/* 0 is not among them, so that no id is 0. */
#define GENERATIONS ((1u << WEFT_POOL_GENERATION_BITS) - 1)

/* Marks a slot that is free but has no successor: index + 1 of none. */
#define LAST_FREE UINT32_MAX

void weft_pool_init(struct weft_pool *pool, size_t object_size, uint32_t limit,
                    uint32_t generation)
{
    *pool = (struct weft_pool){
        .object_size = (object_size + 15) & ~(size_t)15,
        .limit = limit < WEFT_POOL_MOST ? limit : WEFT_POOL_MOST,
        .generation = 1 + generation % GENERATIONS,
        .free = LAST_FREE,
    };
}

static size_t chunk_bytes(const struct weft_pool *pool)
{
    return WEFT_POOL_CHUNK * pool->object_size;
}

/* Chunks are allocated one by one until they would fill a large page, and then by pages: a few
 * objects shall not take more than they need, and many are wanted here and there. */
static bool begins_block(const struct weft_pool *pool, uint32_t chunk)
{
    size_t chunks = WEFT_LARGE_PAGE / chunk_bytes(pool);
    return chunks < 2 || chunk < chunks || chunk % chunks == 0;
}

static unsigned char *make_chunk(const struct weft_pool *pool)
{
    uint32_t chunk = pool->chunk_count;
    if (!begins_block(pool, chunk))
        return pool->chunks[chunk - 1] + chunk_bytes(pool);
    bool is_alone = begins_block(pool, chunk + 1);
    return is_alone ? malloc(chunk_bytes(pool)) : weft_large_alloc(WEFT_LARGE_PAGE, 1);
}

void weft_pool_fini(struct weft_pool *pool)
{
    for (uint32_t i = 0; i < pool->chunk_count; i++)
        if (begins_block(pool, i))
            free(pool->chunks[i]);
    free(pool->chunks);
    *pool = (struct weft_pool){0};
}

static int grow(struct weft_pool *pool)
{
    if (pool->made + WEFT_POOL_CHUNK > WEFT_POOL_MOST)
        return 0;
    /* The table of chunks doubles, so that its copies cost nothing per chunk. */
    if ((pool->chunk_count & (pool->chunk_count - 1)) == 0) {
        size_t room = pool->chunk_count ? 2 * (size_t)pool->chunk_count : 1;
        unsigned char **chunks = realloc(pool->chunks, room * sizeof *chunks);
        if (!chunks)
            return 0;
        pool->chunks = chunks;
    }
    unsigned char *chunk = make_chunk(pool);
    if (!chunk)
        return 0;
    pool->chunks[pool->chunk_count++] = chunk;
    for (uint32_t i = WEFT_POOL_CHUNK; i-- > 0;) {
        uint32_t index = pool->made + i;
        struct weft_pool_slot *slot = (struct weft_pool_slot *)(chunk + i * pool->object_size);
        slot->id = index | pool->generation << WEFT_POOL_INDEX_BITS;
        slot->next = pool->free;
        pool->free = index + 1;
    }
    pool->made += WEFT_POOL_CHUNK;
    return 1;
}

void *weft_pool_take(struct weft_pool *pool)
{
    if (pool->used >= pool->limit || (pool->free == LAST_FREE && !grow(pool)))
        return NULL;
    struct weft_pool_slot *slot = weft_pool_at(pool, pool->free - 1);
    pool->free = slot->next;
    pool->used++;
    memset((unsigned char *)slot + sizeof *slot, 0, pool->object_size - sizeof *slot);
    slot->next = 0;
    return slot;
}

void weft_pool_give(struct weft_pool *pool, void *object)
{
    struct weft_pool_slot *slot = object;
    uint32_t index = slot->id & WEFT_POOL_INDEX_MASK;
    uint32_t generation = (slot->id >> WEFT_POOL_INDEX_BITS) + 1;
    if (generation >> WEFT_POOL_GENERATION_BITS)
        generation = 1;
    slot->id = index | generation << WEFT_POOL_INDEX_BITS;
    slot->next = pool->free;
    pool->free = index + 1;
    pool->used--;
}
