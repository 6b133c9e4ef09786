/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/shape.h"

#include <stdlib.h>
#include <string.h>

#include "support/generate.h"
#include "support/model.h"
#include "support/typemap.h"

#define UNTOUCHED 0xEE
#define MARGIN 64
#define MOST_ELEMENTS 48
/* Layouts may be so much larger than their data, and long ones only so much. */
#define SPREAD 32
#define LONG ((size_t)4 << 20)
#define LONG_SPREAD 4

static bool find_span(struct shape *shape, const struct typemap *map, int64_t *low)
{
    int64_t shift = shape->count ? (int64_t)(shape->count - 1) * shape->extent : 0;
    int64_t high = map->true_ub + (shift > 0 ? shift : 0);
    *low = map->true_lb + (shift < 0 ? shift : 0);
    if (shape->total == 0)
        *low = high = 0;
    shape->span = (size_t)(high - *low) + 2 * MARGIN;
    size_t spread = shape->total < LONG ? SPREAD : LONG_SPREAD;
    return shape->span < shape->total * spread + (1u << 20);
}

/* Elements that are farther apart than one is long do not meet. */
static size_t neighbours(const struct typemap *map, size_t count)
{
    int64_t extent = typemap_extent(map), length = map->true_ub - map->true_lb;
    uint64_t step = (uint64_t)(extent < 0 ? -extent : extent);
    uint64_t reach = step ? (uint64_t)length / step + 2 : 2;
    return count < reach ? count : reach;
}

/* False if the model will not do. */
static bool try_model(struct shape *shape, const struct model *model, size_t wish, int64_t *low)
{
    const struct typemap *map = typemap_of(model);
    if (map->size == 0)
        return false;
    shape->count = (wish + map->size - 1) / map->size;
    if (typemap_overlaps(map, neighbours(map, shape->count)))
        return false;
    shape->element = map->size;
    shape->total = shape->count * map->size;
    shape->extent = typemap_extent(map);
    if (!find_span(shape, map, low) || model_build(model, &shape->type) != WEFT_OK)
        return false;
    shape->places = typemap_places(map, 1);
    return true;
}

void shape_open(struct shape *shape, uint64_t seed, size_t wish)
{
    bool found = false;
    int64_t low = 0;
    *shape = (struct shape){.type = NULL};
    for (uint64_t i = 0; !found; i++) {
        struct rng rng = rng_stream(seed, i);
        struct generator generator = {.rng = &rng, .elements = rng_magnitude(&rng, MOST_ELEMENTS)};
        struct model *model = generate_model(&generator, 3);
        found = try_model(shape, model, wish, &low);
        model_free(model);
    }
    shape->memory = malloc(shape->span);
    shape->image = malloc(shape->span);
    if (!shape->memory || !shape->image || weft_type_commit(shape->type) != WEFT_OK)
        abort();
    weft_type_set_priority(shape->type, (unsigned)(seed % 3)); /* basic types have none */
    memset(shape->memory, UNTOUCHED, shape->span);
    memset(shape->image, UNTOUCHED, shape->span);
    for (size_t i = 0; i < shape->element; i++)
        shape->places[i] += MARGIN - low;
    shape->base = (void *)((uintptr_t)shape->memory + MARGIN - (uintptr_t)low);
}

void shape_close(struct shape *shape)
{
    weft_type_free(shape->type);
    free(shape->places);
    free(shape->memory);
    free(shape->image);
}

void shape_fill(struct shape *shape, uint64_t number, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        shape->memory[shape_place(shape, i)] = shape_byte(number, i);
}

void shape_expect(struct shape *shape, uint64_t number, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        shape->image[shape_place(shape, i)] = shape_byte(number, i);
}

bool shape_is_right(const struct shape *shape)
{
    return memcmp(shape->memory, shape->image, shape->span) == 0;
}
