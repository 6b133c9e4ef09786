/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/generate.h"

#include "support/typemap.h"

/* ---- Small choices ------------------------------------------------------------------------ */

/* Mostly a number up to the limit, but at least 2; now and then 1 or none. */
static size_t choose_count(struct generator *generator, size_t limit)
{
    struct rng *rng = generator->rng;
    if (rng_one_in(rng, 120))
        return 0;
    if (generator->far && limit > 4 && !rng_one_in(rng, 4))
        limit = 4;
    if (limit < 2 || rng_one_in(rng, 12))
        return 1;
    return 1 + rng_magnitude(rng, limit - 1);
}

ptrdiff_t generate_stride(struct generator *generator, ptrdiff_t span)
{
    struct rng *rng = generator->rng;
    ptrdiff_t size = span < 0 ? -span : span;
    if (generator->far && rng_one_in(rng, 3)) {
        ptrdiff_t stride = ((ptrdiff_t)1 << 32) + (ptrdiff_t)rng_below(rng, (size_t)1 << 31);
        return rng_one_in(rng, 4) ? -stride : stride;
    }
    switch (rng_below(rng, 16)) {
    case 0:
        return 0;
    case 1:
        return rng_between(rng, -2 * size - 8, 2 * size + 8);
    case 2:
        return -size;
    case 3:
    case 4:
        return -size - rng_between(rng, 1, 40);
    case 5:
    case 6:
        return size;
    default:
        return size + (ptrdiff_t)rng_magnitude(rng, 100);
    }
}

/* ---- Leaves ------------------------------------------------------------------------------- */

/* A basic type, or a block of them of any size. */
static struct model *generate_leaf(struct generator *generator, size_t elements)
{
    struct model *leaf = model_basic(rng_below(generator->rng, WEFT_BASIC_COUNT));
    if (elements < 2 || !rng_one_in(generator->rng, 4))
        return leaf;
    struct model *block = model_above(MODEL_CONTIGUOUS, leaf);
    block->count = rng_magnitude(generator->rng, elements < 300 ? elements : 300);
    return block;
}

/* ---- Kinds -------------------------------------------------------------------------------- */

static void generate_regular(struct generator *generator, struct model *model, size_t room)
{
    ptrdiff_t extent = typemap_extent(typemap_of(model->child[0]));
    model->count = choose_count(generator, room);
    if (model->kind == MODEL_CONTIGUOUS)
        return;
    model->blocklength = choose_count(generator, room / (model->count ? model->count : 1));
    if (model->kind == MODEL_HVECTOR)
        model->stride = generate_stride(generator, (ptrdiff_t)model->blocklength * extent);
    else
        model->stride = rng_one_in(generator->rng, 6)
                            ? rng_between(generator->rng, -20, 20)
                            : (ptrdiff_t)model->blocklength + rng_between(generator->rng, 0, 9);
}

static void generate_irregular(struct generator *generator, struct model *model, size_t room)
{
    bool elements = model->kind == MODEL_INDEXED || model->kind == MODEL_INDEXED_BLOCK;
    bool even = model->kind == MODEL_INDEXED_BLOCK || model->kind == MODEL_HINDEXED_BLOCK;
    ptrdiff_t extent = typemap_extent(typemap_of(model->child[0]));
    model->count = choose_count(generator, room);
    model->where = model_alloc(model->count, sizeof(*model->where));
    if (even)
        model->blocklength = choose_count(generator, room / (model->count ? model->count : 1));
    else
        model->lengths = model_alloc(model->count, sizeof(*model->lengths));
    /* So many elements as there are bytes in 4 GiB would lie out of reach. */
    struct generator near = {generator->rng, generator->elements, false};
    bool large = elements && (extent > 16 || extent < -16);
    generate_list(large ? &near : generator, model->count, room, elements ? 1 : extent,
                  model->blocklength, model->lengths, model->where);
}

static void generate_bounds(struct generator *generator, struct model *model)
{
    const struct typemap *old = typemap_of(model->child[0]);
    struct rng *rng = generator->rng;
    ptrdiff_t size = old->true_ub - old->true_lb;
    bool fitting = !rng_one_in(rng, 4);
    model->lb = fitting ? old->true_lb - rng_between(rng, 0, 16) : rng_between(rng, -40, 40);
    if (rng_one_in(rng, 3))
        model->lb = 0;
    model->extent = fitting && !generator->far ? size + rng_between(rng, 0, 16)
                                               : generate_stride(generator, size);
}

/* Members lie one behind the other, mostly. */
static void place_members(struct generator *generator, struct model *model)
{
    struct rng *rng = generator->rng;
    ptrdiff_t place = rng_between(rng, -16, 16);
    for (size_t i = 0; i < model->count; i++) {
        const struct typemap *map = typemap_of(model->child[i]);
        ptrdiff_t extent = typemap_extent(map);
        ptrdiff_t span = (ptrdiff_t)model->lengths[i] * (extent < 0 ? -extent : extent);
        model->where[i] = place - map->true_lb;
        if (rng_one_in(rng, 16))
            model->where[i] = rng_between(rng, -100, 100);
        place += rng_one_in(rng, 4) ? generate_stride(generator, span)
                                    : span + rng_between(rng, 0, 12);
    }
}

static struct model *generate_struct(struct generator *generator, unsigned depth,
                                     size_t elements)
{
    struct rng *rng = generator->rng;
    struct model *model = model_new(MODEL_STRUCT);
    model->count = rng_one_in(rng, 120) ? 0 : 1 + rng_below(rng, elements < 8 ? elements : 8);
    model->children = model->count;
    model->child = model_alloc(model->count, sizeof(struct model *));
    model->lengths = model_alloc(model->count, sizeof(*model->lengths));
    model->where = model_alloc(model->count, sizeof(*model->where));
    bool same = rng_one_in(rng, 4);
    size_t share = model->count ? elements / model->count : 0;
    for (size_t i = 0; i < model->count; i++) {
        struct generator part = {rng, rng_magnitude(rng, share), generator->far};
        model->child[i] = same && i ? model_copy(model->child[0])
                                    : generate_model(&part, rng_below(rng, depth));
        size_t each = typemap_of(model->child[i])->count;
        size_t room = each ? share / each : share;
        model->lengths[i] = room ? choose_count(generator, room < 20 ? room : 20) : 1;
    }
    place_members(generator, model);
    return model;
}

/* ---- The tree ----------------------------------------------------------------------------- */

static bool within(int64_t bound, int64_t reach)
{
    return -reach <= bound && bound <= reach;
}

static bool within_reach(const struct generator *generator, const struct typemap *map)
{
    int64_t reach = generator->far ? GENERATE_REACH : (int64_t)1 << 20;
    return within(map->lb, reach) && within(map->ub, reach) && within(map->true_lb, reach) &&
           within(map->true_ub, reach);
}

static struct model *without_parent(struct model *parent)
{
    struct model *child = parent->child[0];
    for (size_t i = 1; i < parent->children; i++)
        model_free(parent->child[i]);
    parent->children = 0;
    model_free(parent);
    return child;
}

static void fill_kind(struct generator *generator, struct model *model, size_t room)
{
    switch (model->kind) {
    case MODEL_CONTIGUOUS:
    case MODEL_VECTOR:
    case MODEL_HVECTOR:
        generate_regular(generator, model, room);
        break;
    case MODEL_SUBARRAY:
    case MODEL_DARRAY:
        generate_dimensions(generator, model, room);
        break;
    case MODEL_RESIZED:
        generate_bounds(generator, model);
        break;
    case MODEL_DUP:
        break;
    default:
        generate_irregular(generator, model, room);
    }
}

struct model *generate_model(struct generator *generator, unsigned depth)
{
    struct rng *rng = generator->rng;
    size_t elements = generator->elements;
    if (depth == 0 || elements < 2)
        return generate_leaf(generator, elements);
    enum model_kind kind = 1 + rng_below(rng, MODEL_KINDS - 1);
    struct model *model;
    if (kind == MODEL_STRUCT) {
        model = generate_struct(generator, depth, elements);
    } else {
        struct generator below = {rng, rng_magnitude(rng, elements / 2), generator->far};
        model = model_above(kind, generate_model(&below, depth - 1));
        size_t each = typemap_of(model->child[0])->count;
        fill_kind(generator, model, each ? elements / each : elements);
    }
    if (within_reach(generator, typemap_of(model)))
        return model;
    if (model->children)
        return without_parent(model);
    model_free(model);
    return generate_leaf(generator, elements);
}
