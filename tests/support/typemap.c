/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/typemap.h"

#include <stdlib.h>

/* A map under construction. */
struct draft {
    struct typemap *map;
    size_t room;
    bool bounded; /* something has set the bounds */
};

static void add_span(struct draft *draft, int64_t at, size_t length)
{
    struct typemap *map = draft->map;
    if (map->count == draft->room) {
        draft->room = draft->room ? 2 * draft->room : 16;
        map->spans = realloc(map->spans, draft->room * sizeof(*map->spans));
        if (!map->spans)
            abort();
    }
    if (map->count == 0 || at < map->true_lb)
        map->true_lb = at;
    if (map->count == 0 || at + (int64_t)length > map->true_ub)
        map->true_ub = at + (int64_t)length;
    map->spans[map->count++] = (struct span){at, length};
    map->size += length;
}

/* One copy of a child. Bounds are the smallest and the largest of the copies' bounds. */
static void add_copy(struct draft *draft, const struct typemap *child, int64_t at)
{
    struct typemap *map = draft->map;
    for (size_t i = 0; i < child->count; i++)
        add_span(draft, at + child->spans[i].at, child->spans[i].length);
    if (!draft->bounded || at + child->lb < map->lb)
        map->lb = at + child->lb;
    if (!draft->bounded || at + child->ub > map->ub)
        map->ub = at + child->ub;
    draft->bounded = true;
}

static void add_block(struct draft *draft, const struct typemap *child, int64_t at,
                      size_t blocklength)
{
    for (size_t j = 0; j < blocklength; j++)
        add_copy(draft, child, at + (int64_t)j * typemap_extent(child));
}

/* ---- Arrays: every element of the whole array is looked at -------------------------------- */

/* The index that varies fastest is counted up; false after the last one. */
static bool next_index(const struct model *model, size_t *index)
{
    for (size_t k = 0; k < model->count; k++) {
        size_t i = model->order == WEFT_ORDER_C ? model->count - 1 - k : k;
        if (++index[i] < model->sizes[i])
            return true;
        index[i] = 0;
    }
    return false;
}

static bool in_subarray(const struct model *model, const size_t *index)
{
    for (size_t i = 0; i < model->count; i++)
        if (index[i] < model->starts[i] || index[i] >= model->starts[i] + model->lengths[i])
            return false;
    return true;
}

/* The coordinate of the process that owns an index of one dimension. */
static size_t owner(const struct model *model, size_t i, size_t index)
{
    size_t procs = model->starts[i], block = model->lengths[i];
    switch (model->distributions[i]) {
    case WEFT_DISTRIBUTE_NONE:
        return 0;
    case WEFT_DISTRIBUTE_BLOCK:
        if (block == WEFT_DISTRIBUTE_DEFAULT)
            block = (model->sizes[i] + procs - 1) / procs;
        return index / block;
    default:
        if (block == WEFT_DISTRIBUTE_DEFAULT)
            block = 1;
        return index / block % procs;
    }
}

/* Processes are numbered with the last dimension fastest, whatever the order of the array. */
static bool in_darray(const struct model *model, const size_t *index)
{
    size_t rank = model->rank, procs = model->nprocs;
    for (size_t i = 0; i < model->count; i++) {
        procs /= model->starts[i];
        if (owner(model, i, index[i]) != rank / procs)
            return false;
        rank %= procs;
    }
    return true;
}

static void map_array(struct draft *draft, const struct model *model,
                      const struct typemap *child)
{
    size_t *index = model_alloc(model->count, sizeof(*index));
    int64_t place = 0;
    do {
        if (model->kind == MODEL_SUBARRAY ? in_subarray(model, index) : in_darray(model, index))
            add_copy(draft, child, place);
        place += typemap_extent(child);
    } while (next_index(model, index));
    free(index);
    draft->map->lb = 0;
    draft->map->ub = place;
}

/* ---- All kinds ---------------------------------------------------------------------------- */

static void map_regular(struct draft *draft, const struct model *model,
                        const struct typemap *child)
{
    int64_t unit = model->kind == MODEL_HVECTOR ? 1 : typemap_extent(child);
    int64_t stride = model->kind == MODEL_CONTIGUOUS ? 1 : model->stride;
    for (size_t i = 0; i < model->count; i++)
        add_block(draft, child, (int64_t)i * stride * unit, model->blocklength);
}

static void map_irregular(struct draft *draft, const struct model *model)
{
    bool elements = model->kind == MODEL_INDEXED || model->kind == MODEL_INDEXED_BLOCK;
    for (size_t i = 0; i < model->count; i++) {
        const struct typemap *child =
            typemap_of(model->child[model->kind == MODEL_STRUCT ? i : 0]);
        int64_t unit = elements ? typemap_extent(child) : 1;
        add_block(draft, child, model->where[i] * unit,
                  model->lengths ? model->lengths[i] : model->blocklength);
    }
}

static void map_kind(struct draft *draft, const struct model *model)
{
    switch (model->kind) {
    case MODEL_BASIC:
        add_span(draft, 0, model_basic_size(model->basic));
        draft->map->ub = draft->map->true_ub;
        break;
    case MODEL_CONTIGUOUS:
    case MODEL_VECTOR:
    case MODEL_HVECTOR:
        map_regular(draft, model, typemap_of(model->child[0]));
        break;
    case MODEL_SUBARRAY:
    case MODEL_DARRAY:
        map_array(draft, model, typemap_of(model->child[0]));
        break;
    case MODEL_RESIZED:
        add_copy(draft, typemap_of(model->child[0]), 0);
        draft->map->lb = model->lb;
        draft->map->ub = model->lb + model->extent;
        break;
    case MODEL_DUP:
        add_copy(draft, typemap_of(model->child[0]), 0);
        break;
    default:
        map_irregular(draft, model);
    }
}

const struct typemap *typemap_of(const struct model *model)
{
    if (!model->map) {
        struct typemap *map = model_alloc(1, sizeof(*map));
        map_kind(&(struct draft){.map = map}, model);
        ((struct model *)model)->map = map;
    }
    return model->map;
}

void typemap_free(struct typemap *map)
{
    if (!map)
        return;
    free(map->spans);
    free(map);
}

/* ---- Questions ---------------------------------------------------------------------------- */

static int by_place(const void *left, const void *right)
{
    int64_t a = ((const struct span *)left)->at, b = ((const struct span *)right)->at;
    return (a > b) - (a < b);
}

bool typemap_overlaps(const struct typemap *map, size_t count)
{
    size_t total = map->count * count;
    struct span *spans = model_alloc(total, sizeof(*spans));
    for (size_t i = 0; i < total; i++) {
        spans[i] = map->spans[i % map->count];
        spans[i].at += (int64_t)(i / map->count) * typemap_extent(map);
    }
    qsort(spans, total, sizeof(*spans), by_place);
    bool overlap = false;
    for (size_t i = 1; i < total && !overlap; i++)
        overlap = spans[i].at < spans[i - 1].at + (int64_t)spans[i - 1].length;
    free(spans);
    return overlap;
}

size_t typemap_pieces(const struct typemap *map)
{
    size_t pieces = 0;
    for (size_t i = 0; i < map->count; i++)
        pieces += i == 0 ||
                  map->spans[i].at != map->spans[i - 1].at + (int64_t)map->spans[i - 1].length;
    return pieces;
}

int64_t *typemap_places(const struct typemap *map, size_t count)
{
    int64_t *places = model_alloc(map->size * count, sizeof(*places));
    size_t packed = 0;
    for (size_t element = 0; element < count; element++)
        for (size_t i = 0; i < map->count; i++)
            for (size_t byte = 0; byte < map->spans[i].length; byte++)
                places[packed++] = map->spans[i].at + (int64_t)byte +
                                   (int64_t)element * typemap_extent(map);
    return places;
}
