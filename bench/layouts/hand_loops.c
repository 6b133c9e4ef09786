/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops, as inline functions whose constants the instances below fill in. */
#include <string.h>

#include "bench/layouts/find_piece.h"
#include "bench/layouts/hand_table.h"

#define INLINE static inline __attribute__((always_inline))

INLINE void copy(enum direction direction, char *restrict mem, char *restrict packed, size_t n)
{
    if (direction == GATHER)
        memcpy(packed, mem, n);
    else
        memcpy(mem, packed, n);
}

INLINE size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

INLINE void copy_row(enum direction direction, size_t block, size_t stride, char *restrict mem,
                     char *restrict packed, size_t n)
{
    for (size_t i = 0; i < n; i++)
        copy(direction, mem + i * stride, packed + i * block, block);
}

INLINE void strided(enum direction direction, size_t block, size_t stride,
                    const struct layout_part *part, char *mem, char *packed, size_t elements,
                    size_t extent)
{
    for (size_t e = 0; e < elements; e++)
        for (size_t i = 0; i < part->count[1]; i++) {
            copy_row(direction, block, stride, mem + e * extent + i * part->stride[1], packed,
                     part->count[0]);
            packed += part->count[0] * block;
        }
}

/* What is left of the block that a range starts inside of. Returns its length. */
INLINE size_t copy_head(enum direction direction, size_t block, size_t skip, char *mem,
                        char *packed, size_t length)
{
    size_t head = smaller(block - skip, length);
    copy(direction, mem + skip, packed, head);
    return head;
}

INLINE void strided_range(enum direction direction, size_t block, size_t stride,
                          const struct layout_part *part, char *mem, char *packed, size_t elements,
                          size_t extent, size_t offset, size_t length)
{
    size_t inner = part->count[0], outer = part->count[1];
    size_t j = offset / block, skip = offset % block, i = 0, e = 0;
    if (outer > 1 || elements > 1) {
        i = j / inner;
        j = j % inner;
    }
    if (elements > 1) {
        e = i / outer;
        i = i % outer;
    }
    while (length) {
        char *row = mem + e * extent + i * part->stride[1];
        if (skip && j < inner) {
            size_t head = copy_head(direction, block, skip, row + j * stride, packed, length);
            packed += head;
            length -= head;
            skip = 0;
            j++;
        }
        size_t n = smaller(inner - j, length / block);
        copy_row(direction, block, stride, row + j * stride, packed, n);
        packed += n * block;
        length -= n * block;
        if (j + n < inner) {
            copy(direction, row + (j + n) * stride, packed, length);
            return;
        }
        j = 0;
        if (++i == outer) {
            i = 0;
            e++;
        }
    }
}

INLINE void copy_list(enum direction direction, size_t block, const int32_t *index,
                      char *restrict mem, char *restrict packed, size_t n)
{
    for (size_t i = 0; i < n; i++)
        copy(direction, mem + (size_t)index[i] * block, packed + i * block, block);
}

INLINE void listed(enum direction direction, size_t block, const struct layout_part *part,
                   char *mem, char *packed, size_t elements, size_t extent)
{
    for (size_t e = 0; e < elements; e++)
        copy_list(direction, block, part->index, mem + e * extent,
                  packed + e * part->count[0] * block, part->count[0]);
}

INLINE void listed_range(enum direction direction, size_t block, const struct layout_part *part,
                         char *mem, char *packed, size_t elements, size_t extent, size_t offset,
                         size_t length)
{
    size_t count = part->count[0];
    size_t i = offset / block, skip = offset % block;
    if (elements > 1) {
        mem += i / count * extent;
        i %= count;
    }
    while (length) {
        if (skip) {
            size_t head = copy_head(direction, block, skip, mem + (size_t)part->index[i] * block,
                                    packed, length);
            packed += head;
            length -= head;
            skip = 0;
            i++;
        }
        size_t n = smaller(count - i, length / block);
        copy_list(direction, block, part->index + i, mem, packed, n);
        packed += n * block;
        length -= n * block;
        if (i + n < count && length) {
            copy(direction, mem + (size_t)part->index[i + n] * block, packed, length);
            return;
        }
        i = 0;
        mem += extent;
    }
}

INLINE void varied(enum direction direction, const struct layout_part *part, char *mem,
                   char *packed, size_t elements, size_t extent)
{
    for (size_t e = 0; e < elements; e++)
        for (size_t i = 0; i < part->count[0]; i++)
            copy(direction, mem + e * extent + part->where[i],
                 packed + e * part->bytes + part->start[i], part->start[i + 1] - part->start[i]);
}

INLINE void varied_range(enum direction direction, const struct layout_part *part, char *mem,
                         char *packed, size_t elements, size_t extent, size_t offset,
                         size_t length)
{
    if (elements > 1) {
        mem += offset / part->bytes * extent;
        offset %= part->bytes;
    }
    size_t i = find_piece(part->start, part->count[0], offset), skip = offset - part->start[i];
    while (length) {
        size_t n = smaller(part->start[i + 1] - part->start[i] - skip, length);
        copy(direction, mem + part->where[i] + skip, packed, n);
        packed += n;
        length -= n;
        skip = 0;
        if (++i == part->count[0]) {
            i = 0;
            mem += extent;
        }
    }
}

/* Square tiles, so that whole lines of both sides are used while they are in the cache. */
INLINE void tiled(enum direction direction, size_t block, size_t tile,
                  const struct layout_part *part, char *restrict mem, char *restrict packed,
                  size_t elements, size_t extent)
{
    size_t inner = part->count[0], outer = part->count[1];
    for (size_t e = 0; e < elements; e++, mem += extent, packed += part->bytes)
        for (size_t i0 = 0; i0 < outer; i0 += tile)
            for (size_t j0 = 0; j0 < inner; j0 += tile)
                for (size_t i = i0; i < smaller(i0 + tile, outer); i++)
                    copy_row(direction, block, part->stride[0],
                             mem + i * part->stride[1] + j0 * part->stride[0],
                             packed + (i * inner + j0) * block, smaller(tile, inner - j0));
}

#define WHOLE_ARGUMENTS                                                                           \
    const struct layout_part *part, char *mem, char *packed, size_t elements, size_t extent
#define RANGE_ARGUMENTS WHOLE_ARGUMENTS, size_t offset, size_t length

#define INSTANCES(direction, B)                                                                   \
    static void strided_##direction##_##B(WHOLE_ARGUMENTS)                                        \
    {                                                                                             \
        strided(direction, B ? B : part->block, part->stride[0], part, mem, packed, elements,     \
                extent);                                                                          \
    }                                                                                             \
    static void strided_range_##direction##_##B(RANGE_ARGUMENTS)                                  \
    {                                                                                             \
        strided_range(direction, B ? B : part->block, part->stride[0], part, mem, packed,         \
                      elements, extent, offset, length);                                          \
    }                                                                                             \
    static void every_second_##direction##_##B(WHOLE_ARGUMENTS)                                   \
    {                                                                                             \
        size_t block = B ? B : part->block;                                                       \
        strided(direction, block, 2 * block, part, mem, packed, elements, extent);                \
    }                                                                                             \
    static void every_second_range_##direction##_##B(RANGE_ARGUMENTS)                             \
    {                                                                                             \
        size_t block = B ? B : part->block;                                                       \
        strided_range(direction, block, 2 * block, part, mem, packed, elements, extent, offset,   \
                      length);                                                                    \
    }                                                                                             \
    static void listed_##direction##_##B(WHOLE_ARGUMENTS)                                         \
    {                                                                                             \
        listed(direction, B ? B : part->block, part, mem, packed, elements, extent);              \
    }                                                                                             \
    static void listed_range_##direction##_##B(RANGE_ARGUMENTS)                                   \
    {                                                                                             \
        listed_range(direction, B ? B : part->block, part, mem, packed, elements, extent, offset, \
                     length);                                                                     \
    }

#define BOTH_DIRECTIONS(B) INSTANCES(GATHER, B) INSTANCES(SCATTER, B)
HAND_BLOCK_MAP(BOTH_DIRECTIONS)

#define OTHER_INSTANCES(direction)                                                                \
    static void varied_##direction(WHOLE_ARGUMENTS)                                               \
    {                                                                                             \
        varied(direction, part, mem, packed, elements, extent);                                   \
    }                                                                                             \
    static void varied_range_##direction(RANGE_ARGUMENTS)                                         \
    {                                                                                             \
        varied_range(direction, part, mem, packed, elements, extent, offset, length);             \
    }                                                                                             \
    static void narrow_tiles_##direction(WHOLE_ARGUMENTS)                                         \
    {                                                                                             \
        tiled(direction, 16, 4, part, mem, packed, elements, extent);                             \
    }                                                                                             \
    static void wide_tiles_##direction(WHOLE_ARGUMENTS)                                           \
    {                                                                                             \
        tiled(direction, 16, 16, part, mem, packed, elements, extent);                            \
    }
OTHER_INSTANCES(GATHER)
OTHER_INSTANCES(SCATTER)

#define PAIRS(loop, B)                                                                            \
    {                                                                                             \
        {loop##_GATHER_##B, loop##_range_GATHER_##B},                                             \
        {                                                                                         \
            loop##_SCATTER_##B, loop##_range_SCATTER_##B                                          \
        }                                                                                         \
    }
#define ROW(B) {B, PAIRS(strided, B), PAIRS(every_second, B), PAIRS(listed, B)},

static const struct hand_row rows[] = {HAND_BLOCK_MAP(ROW)};

extern const struct hand_table HAND_TABLE;
const struct hand_table HAND_TABLE = {
    .rows = rows,
    .row_count = sizeof(rows) / sizeof(rows[0]),
    .varied = {{varied_GATHER, varied_range_GATHER}, {varied_SCATTER, varied_range_SCATTER}},
    .tiles = {.narrow = {{narrow_tiles_GATHER, strided_range_GATHER_16},
                         {narrow_tiles_SCATTER, strided_range_SCATTER_16}},
              .wide = {{wide_tiles_GATHER, strided_range_GATHER_16},
                       {wide_tiles_SCATTER, strided_range_SCATTER_16}}},
};
