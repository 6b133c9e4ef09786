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
/* Layouts may be so much larger than their data. */
#define SPREAD 32

static bool find_span(struct shape *shape, int64_t *low)
{
    int64_t high = INT64_MIN;
    *low = INT64_MAX;
    for (size_t i = 0; i < shape->total; i++) {
        if (shape->places[i] < *low)
            *low = shape->places[i];
        if (shape->places[i] >= high)
            high = shape->places[i] + 1;
    }
    if (shape->total == 0)
        *low = high = 0;
    shape->span = (size_t)(high - *low) + 2 * MARGIN;
    return shape->span < shape->total * SPREAD + (1u << 20);
}

/* False if the model will not do. */
static bool try_model(struct shape *shape, const struct model *model, size_t wish, int64_t *low)
{
    const struct typemap *map = typemap_of(model);
    if (map->size == 0)
        return false;
    shape->count = (wish + map->size - 1) / map->size;
    if (typemap_overlaps(map, shape->count))
        return false;
    shape->total = shape->count * map->size;
    shape->places = typemap_places(map, shape->count);
    if (find_span(shape, low) && model_build(model, &shape->type) == WEFT_OK)
        return true;
    free(shape->places);
    return false;
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
    memset(shape->memory, UNTOUCHED, shape->span);
    memset(shape->image, UNTOUCHED, shape->span);
    for (size_t i = 0; i < shape->total; i++)
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
        shape->memory[shape->places[i]] = shape_byte(number, i);
}

void shape_expect(struct shape *shape, uint64_t number, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        shape->image[shape->places[i]] = shape_byte(number, i);
}

bool shape_is_right(const struct shape *shape)
{
    return memcmp(shape->memory, shape->image, shape->span) == 0;
}
