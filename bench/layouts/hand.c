/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/layouts/hand.h"

#include "bench/layouts/hand_set.h"

enum way { WAY_MEMCPY, WAY_BLOCK, WAY_STRIDE, WAY_NARROW_TILES, WAY_WIDE_TILES };

struct hand_way {
    const char *name;
    enum way way;
    bool is_vectorised;
};

static const struct hand_way ways[] = {
    {"memcpy", WAY_MEMCPY, false},
    {"block", WAY_BLOCK, false},
    {"block,vectorised", WAY_BLOCK, true},
    {"stride", WAY_STRIDE, false},
    {"stride,vectorised", WAY_STRIDE, true},
    {"tiles4", WAY_NARROW_TILES, false},
    {"tiles4,vectorised", WAY_NARROW_TILES, true},
    {"tiles16", WAY_WIDE_TILES, false},
    {"tiles16,vectorised", WAY_WIDE_TILES, true},
};

_Static_assert(sizeof(ways) / sizeof(ways[0]) <= HAND_MAX_LOOPS, "raise HAND_MAX_LOOPS");

static const struct hand_table *table_of(const struct hand_way *way)
{
    return way->is_vectorised ? hand_set()->vectorised : hand_set()->scalar;
}

static const struct hand_row *find_row(const struct hand_table *table, size_t block)
{
    for (size_t i = 0; i < table->row_count; i++)
        if (table->rows[i].block == block)
            return &table->rows[i];
    return &table->rows[0];
}

static bool is_transposition(const struct layout_part *part)
{
    return part->shape == PART_STRIDED && part->block == 16 && part->count[1] > 1 &&
           part->stride[1] == part->block;
}

/* Whether writing the loop this way makes a difference for the part. */
static bool suits(const struct layout_part *part, const struct hand_way *way)
{
    bool constant = part->shape != PART_VARIED && find_row(table_of(way), part->block)->block;
    switch (way->way) {
    case WAY_MEMCPY:
        return true;
    case WAY_BLOCK:
        return constant;
    case WAY_STRIDE:
        return constant && part->shape == PART_STRIDED && part->stride[0] == 2 * part->block;
    default:
        return is_transposition(part);
    }
}

static struct hand_pair choose(const struct layout_part *part, enum direction direction,
                               const struct hand_way *way)
{
    const struct hand_table *table = table_of(way);
    if (part->shape == PART_VARIED)
        return table->varied[direction];
    const struct hand_row *row = find_row(table, way->way == WAY_MEMCPY ? 0 : part->block);
    if (part->shape == PART_LISTED)
        return row->listed[direction];
    switch (way->way) {
    case WAY_STRIDE:
        return row->every_second[direction];
    case WAY_NARROW_TILES:
        return table->tiles.narrow[direction];
    case WAY_WIDE_TILES:
        return table->tiles.wide[direction];
    default:
        return row->strided[direction];
    }
}

size_t hand_loops(const struct layout *layout, enum direction direction, struct hand_loop *loops)
{
    size_t count = 0;
    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
        if (!suits(&layout->part[0], &ways[w]))
            continue;
        struct hand_loop *loop = &loops[count++];
        loop->name = ways[w].name;
        loop->layout = layout;
        for (size_t i = 0; i < layout->part_count; i++) {
            struct hand_pair pair = choose(&layout->part[i], direction, &ways[w]);
            loop->whole[i] = pair.whole;
            loop->some[i] = pair.some;
        }
    }
    return count;
}

void hand_move(const struct hand_loop *loop, char *mem, char *packed)
{
    const struct layout *layout = loop->layout;
    if (layout->part_count == 1) {
        const struct layout_part *part = &layout->part[0];
        loop->whole[0](part, mem + part->at, packed, layout->count, layout->extent);
        return;
    }
    for (size_t e = 0; e < layout->count; e++, mem += layout->extent)
        for (size_t i = 0; i < layout->part_count; i++) {
            const struct layout_part *part = &layout->part[i];
            loop->whole[i](part, mem + part->at, packed, 1, layout->extent);
            packed += part->bytes;
        }
}

void hand_move_range(const struct hand_loop *loop, char *mem, char *packed, size_t offset,
                     size_t length)
{
    const struct layout *layout = loop->layout;
    if (layout->part_count == 1) {
        const struct layout_part *part = &layout->part[0];
        loop->some[0](part, mem + part->at, packed, layout->count, layout->extent, offset, length);
        return;
    }
    if (layout->count > 1) {
        mem += offset / layout->size * layout->extent;
        offset %= layout->size;
    }
    for (size_t i = 0; length; i = i + 1 == layout->part_count ? 0 : i + 1) {
        const struct layout_part *part = &layout->part[i];
        if (offset >= part->bytes) {
            offset -= part->bytes;
        } else {
            size_t n = part->bytes - offset < length ? part->bytes - offset : length;
            loop->some[i](part, mem + part->at, packed, 1, layout->extent, offset, n);
            packed += n;
            length -= n;
            offset = 0;
        }
        if (i + 1 == layout->part_count)
            mem += layout->extent;
    }
}
