/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Binomial trees. Ranks are counted from the root; the parent of one is the rank without its
 * lowest bit, and its children have one of the bits below that.
 */
#include "collective/part.h"

static uint32_t turned(const struct weft_collective_part *part, uint32_t root)
{
    return (part->rank + part->size - root) % part->size;
}

static uint32_t rank_of(const struct weft_collective_part *part, uint64_t place, uint32_t root)
{
    return (uint32_t)((place + root) % part->size);
}

/* The lowest bit; for the root, the first power of two that is not below the size. */
static uint64_t span_of(const struct weft_collective_part *part, uint32_t place)
{
    uint64_t span = 1;
    while (place ? !(place & span) : span < part->size)
        span *= 2;
    return span;
}

/* ---- Broadcast ---------------------------------------------------------------------------- */

void weft_collective_bcast_tree(struct weft_collective_part *part,
                                const struct weft_schedule_memory *memory, uint32_t root,
                                int after)
{
    uint32_t place = turned(part, root);
    uint64_t span = span_of(part, place);
    if (place)
        after = weft_collective_receive(part, memory, rank_of(part, place - span, root), after);
    for (uint64_t step = span / 2; step; step /= 2)
        if (place + step < part->size)
            weft_collective_send(part, memory, rank_of(part, place + step, root), after);
}

/* The same tree. Without data there are no packets, and alone there is nobody to send them to. */
void weft_collective_bcast_stream(struct weft_collective_part *part,
                                  const struct weft_schedule_memory *memory, uint32_t root)
{
    uint32_t place = turned(part, root), children[32];
    uint64_t span = span_of(part, place);
    uint32_t parent = place ? rank_of(part, place - span, root) : root;
    size_t count = 0;
    if (memory->length == 0 || part->size == 1) {
        weft_collective_bcast_tree(part, memory, root, WEFT_COLLECTIVE_NONE);
        return;
    }
    for (uint64_t step = span / 2; step; step /= 2)
        if (place + step < part->size)
            children[count++] = rank_of(part, place + step, root);
    int last = weft_schedule_stream(part->schedule, memory, parent, part->tag, count, children);
    if (last < 0)
        part->error = last;
}

/* ---- Reduction ---------------------------------------------------------------------------- */

/* Children are combined in a fixed order, so that equal data gives equal bits. */
static int combine_children(struct weft_collective_part *part,
                            const struct weft_schedule_memory *sum, uint32_t place, uint32_t root,
                            int after)
{
    uint64_t span = span_of(part, place);
    for (uint64_t step = 1; step < span && place + step < part->size; step *= 2) {
        struct weft_schedule_memory scratch = weft_collective_scratch(part, sum->length);
        int come = weft_collective_receive(part, &scratch, rank_of(part, place + step, root),
                                           WEFT_COLLECTIVE_NONE);
        int combined = weft_collective_combine(part, &scratch, sum, after);
        weft_collective_after(part, combined, come);
        after = combined;
    }
    return after;
}

int weft_collective_reduce_tree(struct weft_collective_part *part,
                                const struct weft_schedule_memory *from,
                                const struct weft_schedule_memory *to, uint32_t root)
{
    uint32_t place = turned(part, root);
    bool is_leaf = place % 2 || place + 1 == part->size;
    struct weft_schedule_memory sum = *from;
    int done = WEFT_COLLECTIVE_NONE;
    if (place == 0)
        sum = *to;
    else if (!is_leaf)
        sum = weft_collective_scratch(part, from->length);
    if (place == 0 || !is_leaf)
        done = weft_collective_copy(part, from, &sum, WEFT_COLLECTIVE_NONE);
    done = combine_children(part, &sum, place, root, done);
    if (place == 0)
        return done;
    weft_collective_send(part, &sum, rank_of(part, place - span_of(part, place), root), done);
    return WEFT_COLLECTIVE_NONE;
}

/* ---- Scatter and gather ------------------------------------------------------------------- */

/* The blocks of a subtree lie together at its top. At the root they are in the order of ranks, so
 * those of one subtree may lie at both ends: then they are two messages. */
struct blocks {
    struct weft_collective_part *part;
    struct weft_schedule_memory memory; /* of a rank that is not the root: its own blocks first */
    size_t length;                      /* of a block */
    uint32_t root;
    uint32_t place;
};

static uint64_t blocks_below(const struct blocks *blocks, uint64_t place, uint64_t span)
{
    uint64_t left = blocks->part->size - place;
    return span < left ? span : left;
}

/* How many of the blocks from `place` on lie together at the root. */
static uint64_t blocks_together(const struct blocks *blocks, uint64_t place, uint64_t count)
{
    uint64_t left = blocks->part->size - rank_of(blocks->part, place, blocks->root);
    return count < left ? count : left;
}

static struct weft_schedule_memory blocks_at(const struct blocks *blocks, uint64_t place,
                                             uint64_t count)
{
    uint64_t first =
        blocks->place ? place - blocks->place : rank_of(blocks->part, place, blocks->root);
    return weft_collective_range(&blocks->memory, first * blocks->length, count * blocks->length);
}

/* Moves those of a subtree between its top and the parent of that, from either side. `join` waits
 * for all of them. */
static void move_blocks(const struct blocks *blocks, uint64_t top, uint64_t span, uint32_t peer,
                        bool is_send, int after, int *join)
{
    uint64_t count = blocks_below(blocks, top, span);
    bool is_with_root = peer == blocks->root || blocks->place == 0;
    uint64_t together = is_with_root ? blocks_together(blocks, top, count) : count;
    for (uint64_t done = 0, next = together; done < count; done += next) {
        next = done ? count - done : together;
        struct weft_schedule_memory memory = blocks_at(blocks, top + done, next);
        int moved = is_send ? weft_collective_send(blocks->part, &memory, peer, after)
                            : weft_collective_receive(blocks->part, &memory, peer, after);
        int joined = weft_collective_nop(blocks->part, moved);
        weft_collective_after(blocks->part, joined, *join);
        *join = joined;
    }
}

static struct blocks open_blocks(struct weft_collective_part *part,
                                 const struct weft_schedule_memory *whole,
                                 const struct weft_schedule_memory *own, uint32_t root)
{
    struct blocks blocks = {
        .part = part, .length = own->length, .root = root, .place = turned(part, root)};
    uint64_t count = blocks_below(&blocks, blocks.place, span_of(part, blocks.place));
    if (blocks.place == 0)
        blocks.memory = *whole;
    else if (count == 1)
        blocks.memory = *own;
    else
        blocks.memory = weft_collective_scratch(part, count * own->length);
    return blocks;
}

static uint32_t parent_of(const struct blocks *blocks, uint64_t span)
{
    return rank_of(blocks->part, blocks->place - span, blocks->root);
}

/* Whether the own block lies among others, from or to which it is copied. */
static bool has_copy(const struct blocks *blocks)
{
    uint64_t span = span_of(blocks->part, blocks->place);
    return blocks->place == 0 || blocks_below(blocks, blocks->place, span) > 1;
}

int weft_collective_scatter(weft_schedule *schedule, const struct weft_schedule_memory *from,
                            const struct weft_schedule_memory *to, uint32_t root, uint16_t tag)
{
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    if (part.error || !to || root >= part.size || (part.rank == root && !from))
        return WEFT_ERR_ARGUMENT;
    struct blocks blocks = open_blocks(&part, from, to, root);
    uint64_t span = span_of(&part, blocks.place);
    int here = WEFT_COLLECTIVE_NONE, sent = WEFT_COLLECTIVE_NONE;
    if (blocks.place)
        move_blocks(&blocks, blocks.place, span, parent_of(&blocks, span), false,
                    WEFT_COLLECTIVE_NONE, &here);
    for (uint64_t step = span / 2; step; step /= 2)
        if (blocks.place + step < part.size)
            move_blocks(&blocks, blocks.place + step, step,
                        rank_of(&part, blocks.place + step, root), true, here, &sent);
    if (has_copy(&blocks)) {
        struct weft_schedule_memory own = blocks_at(&blocks, blocks.place, 1);
        weft_collective_copy(&part, &own, to, here);
    }
    return part.error;
}

int weft_collective_gather(weft_schedule *schedule, const struct weft_schedule_memory *from,
                           const struct weft_schedule_memory *to, uint32_t root, uint16_t tag)
{
    struct weft_collective_part part = weft_collective_begin(schedule, tag);
    if (part.error || !from || root >= part.size || (part.rank == root && !to))
        return WEFT_ERR_ARGUMENT;
    struct blocks blocks = open_blocks(&part, to, from, root);
    uint64_t span = span_of(&part, blocks.place);
    int here = WEFT_COLLECTIVE_NONE, sent = WEFT_COLLECTIVE_NONE;
    if (has_copy(&blocks)) {
        struct weft_schedule_memory own = blocks_at(&blocks, blocks.place, 1);
        here = weft_collective_copy(&part, from, &own, WEFT_COLLECTIVE_NONE);
    }
    for (uint64_t step = 1; step < span && blocks.place + step < part.size; step *= 2)
        move_blocks(&blocks, blocks.place + step, step, rank_of(&part, blocks.place + step, root),
                    false, WEFT_COLLECTIVE_NONE, &here);
    if (blocks.place)
        move_blocks(&blocks, blocks.place, span, parent_of(&blocks, span), true, here, &sent);
    return part.error;
}
