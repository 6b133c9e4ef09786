/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/side.h"

#include <stdlib.h>
#include <string.h>

#define SMALL ((size_t)256 << 10)

/* Bytes around a piece that must stay as they were, if not all memory is compared. */
#define NEIGHBOURS 64

/* ---- Bytes -------------------------------------------------------------------------------- */

#define TABLE ((size_t)65536)

/* Twice the same, so that any TABLE bytes from any start can be copied at once. */
static unsigned char table[2 * TABLE];

__attribute__((constructor)) static void fill_table(void)
{
    struct rng rng = {1};
    for (size_t i = 0; i < TABLE; i++)
        table[i] = table[i + TABLE] = (unsigned char)(1 + rng_below(&rng, 255));
}

static unsigned char memory_byte(int64_t displacement)
{
    return table[(uint64_t)displacement % TABLE];
}

static void fill_memory(unsigned char *memory, int64_t low, int64_t high)
{
    while (low < high) {
        size_t length = (size_t)(high - low) < TABLE ? (size_t)(high - low) : TABLE;
        memcpy(memory, table + (uint64_t)low % TABLE, length);
        memory += length;
        low += (int64_t)length;
    }
}

static unsigned char *at(const struct side *side, int64_t displacement)
{
    return (unsigned char *)((uintptr_t)side->base + (uintptr_t)displacement);
}

static void clear(struct side *side)
{
    window_clear(side->window, at(side, side->low), at(side, side->high));
}

/* ---- Opening and closing ------------------------------------------------------------------ */

static void find_reach(struct side *side)
{
    int64_t last = side->count ? (int64_t)(side->count - 1) * typemap_extent(side->map) : 0;
    side->low = side->map->true_lb + (last < 0 ? last : 0);
    side->high = side->map->true_ub + (last > 0 ? last : 0);
}

static bool overlaps(const struct side *side)
{
    int64_t extent = typemap_extent(side->map);
    int64_t distance = extent < 0 ? -extent : extent;
    if (typemap_overlaps(side->map, 1))
        return side->count > 0;
    return side->count > 1 && distance < side->map->true_ub - side->map->true_lb &&
           typemap_overlaps(side->map, side->count);
}

int side_open(struct side *side, const struct model *model, size_t count,
              struct window *window, bool at_end)
{
    *side = (struct side){.model = model, .count = count, .window = window};
    side->map = typemap_of(model);
    find_reach(side);
    while (side->count > 1 && (size_t)(side->high - side->low) > window->size) {
        side->count--;
        find_reach(side);
    }
    side->total = side->count * side->map->size;
    side->places = typemap_places(side->map, side->count);
    side->overlaps = overlaps(side);
    side->small = (size_t)(side->high - side->low) <= SMALL;
    side->base = window_place(window, side->low, side->high, at_end);
    int rc = model_build(model, &side->type);
    return rc ? rc : weft_type_commit(side->type);
}

void side_close(struct side *side)
{
    if (!side->small && side->base)
        clear(side);
    weft_type_free(side->type);
    free(side->places);
}

/* ---- Memory ------------------------------------------------------------------------------- */

void side_fill(struct side *side)
{
    if (side->small) {
        fill_memory(at(side, side->low), side->low, side->high);
        return;
    }
    for (size_t k = 0; k < side->total; k++)
        *at(side, side->places[k]) = memory_byte(side->places[k]);
}

void side_blank(struct side *side)
{
    if (side->small)
        side_fill(side);
    else
        clear(side);
}

static bool small_was_unpacked(struct side *side, const unsigned char *packed, size_t length,
                               int64_t *wrong)
{
    size_t size = (size_t)(side->high - side->low);
    unsigned char *expected = model_alloc(size, 1), *actual = at(side, side->low);
    fill_memory(expected, side->low, side->high);
    for (size_t k = 0; k < length; k++)
        expected[side->places[k] - side->low] = packed[k];
    bool equal = memcmp(expected, actual, size) == 0;
    size_t i = 0;
    while (!equal && expected[i] == actual[i])
        i++;
    *wrong = side->low + (int64_t)i;
    free(expected);
    return equal;
}

static bool all_zero(const struct side *side, int64_t low, int64_t high, int64_t *wrong)
{
    static const unsigned char zeros[2 * NEIGHBOURS + 1];
    low = low > side->low ? low : side->low;
    high = high < side->high ? high : side->high;
    if (low >= high || memcmp(at(side, low), zeros, (size_t)(high - low)) == 0)
        return true;
    *wrong = low;
    while (*at(side, *wrong) == 0)
        ++*wrong;
    return false;
}

/* The expected bytes are looked at and set to 0; then no others may be left around them. */
static bool wide_was_unpacked(struct side *side, const unsigned char *packed, size_t length,
                              int64_t *wrong)
{
    for (size_t k = 0; k < length; k++) {
        *wrong = side->places[k];
        if (*at(side, *wrong) != packed[k])
            return false;
        *at(side, *wrong) = 0;
    }
    int64_t seen = INT64_MIN;
    for (size_t k = 0; k < side->total; k++) {
        int64_t low = side->places[k] - NEIGHBOURS, high = side->places[k] + NEIGHBOURS + 1;
        bool follows = seen == high - 1;
        if (!all_zero(side, follows ? seen : low, high, wrong))
            return false;
        seen = high;
    }
    return true;
}

bool side_was_unpacked(struct side *side, const unsigned char *packed, size_t length,
                       int64_t *wrong)
{
    return side->small ? small_was_unpacked(side, packed, length, wrong)
                       : wide_was_unpacked(side, packed, length, wrong);
}

void side_expect_packed(const struct side *side, unsigned char *packed)
{
    for (size_t k = 0; k < side->total; k++)
        packed[k] = memory_byte(side->places[k]);
}

void side_make_packed(unsigned char *packed, size_t length)
{
    for (size_t k = 0; k < length; k++)
        packed[k] = memory_byte((int64_t)(k + k / TABLE * 7919 + 12345));
}
