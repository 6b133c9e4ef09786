/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/schedules/layout.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Units -------------------------------------------------------------------------------- */

static struct layout layout_of_basic(const struct field *field)
{
    struct layout layout = {.type = field->type, .count = 1, .spans = 1};
    layout.span = malloc(sizeof(struct span));
    layout.span[0] = (struct span){0, field->size};
    layout.ub = (int64_t)field->size;
    return layout;
}

static int64_t aligned(int64_t end, size_t align)
{
    int64_t step = (int64_t)align;
    return (end + step - 1) / step * step;
}

static struct layout layout_of_pair(MPI_Datatype type, const struct field field[2])
{
    struct layout layout = {.type = type, .count = 1, .spans = 2};
    int64_t second = aligned((int64_t)field[0].size, field[1].size);
    size_t align = field[0].size > field[1].size ? field[0].size : field[1].size;
    layout.span = malloc(2 * sizeof(struct span));
    layout.span[0] = (struct span){0, field[0].size};
    layout.span[1] = (struct span){second, field[1].size};
    layout.ub = aligned(second + (int64_t)field[1].size, align);
    return layout;
}

/* The fields in another order in memory than in the signature, with gaps. */
static struct layout layout_of_fields(const struct field *field, size_t fields, struct rng *rng)
{
    struct layout layout = {.count = 1, .owned = true, .spans = fields};
    int lengths[MOST_FIELDS];
    MPI_Aint where[MOST_FIELDS];
    MPI_Datatype types[MOST_FIELDS], packed;
    layout.span = malloc(fields * sizeof(struct span));
    int64_t end = 0;
    size_t first = rng_below(rng, fields);
    for (size_t k = 0; k < fields; k++) {
        size_t i = (first + k) % fields;
        size_t bytes = field[i].length * field[i].size;
        end = aligned(end, field[i].size) + (int64_t)(field[i].size * rng_below(rng, 2));
        lengths[i] = (int)field[i].length;
        types[i] = field[i].type;
        where[i] = end;
        layout.span[i] = (struct span){end, bytes};
        end += (int64_t)bytes;
    }
    layout.ub = aligned(end, 8) + 8 * (int64_t)rng_below(rng, 2);
    MPI_Type_create_struct((int)fields, lengths, where, types, &packed);
    MPI_Type_create_resized(packed, 0, layout.ub, &layout.type);
    MPI_Type_free(&packed);
    return layout;
}

static struct layout layout_of_unit(unsigned unit, struct rng *rng)
{
    struct field field[MOST_FIELDS];
    bool by_precision = rng_one_in(rng, 4);
    size_t fields = unit_fields(unit, by_precision, field);
    if (unit_pair(unit) != MPI_DATATYPE_NULL && rng_one_in(rng, 2))
        return layout_of_pair(unit_pair(unit), field);
    struct layout layout =
        fields > 1 ? layout_of_fields(field, fields, rng) : layout_of_basic(&field[0]);
    layout.is_plain = !by_precision && unit_pair(unit) == MPI_DATATYPE_NULL;
    return layout;
}

/* ---- Constructors: n elements of what there is become one --------------------------------- */

struct blocks {
    size_t count;
    int *length;
    MPI_Aint *at; /* bytes */
};

static struct blocks blocks_new(size_t count)
{
    return (struct blocks){count, calloc(count + 1, sizeof(int)),
                           calloc(count + 1, sizeof(MPI_Aint))};
}

static void blocks_free(struct blocks *blocks)
{
    free(blocks->length);
    free(blocks->at);
}

static int64_t extent_of(const struct layout *layout)
{
    return layout->ub - layout->lb;
}

static void add_span(struct layout *layout, int64_t at, size_t length)
{
    struct span *last = layout->spans ? &layout->span[layout->spans - 1] : NULL;
    if (last && last->at + (int64_t)last->length == at)
        last->length += length;
    else
        layout->span[layout->spans++] = (struct span){at, length};
}

static void place_copies(struct layout *layout, const struct blocks *blocks)
{
    size_t copies = 0;
    for (size_t b = 0; b < blocks->count; b++)
        copies += (size_t)blocks->length[b];
    struct layout all = {.span = malloc((copies * layout->spans + 1) * sizeof(struct span))};
    int64_t extent = extent_of(layout);
    all.lb = INT64_MAX, all.ub = INT64_MIN;
    for (size_t b = 0; b < blocks->count; b++)
        for (int k = 0; k < blocks->length[b]; k++) {
            int64_t base = blocks->at[b] + k * extent;
            for (size_t s = 0; s < layout->spans; s++)
                add_span(&all, base + layout->span[s].at, layout->span[s].length);
            all.lb = base + layout->lb < all.lb ? base + layout->lb : all.lb;
            all.ub = base + layout->ub > all.ub ? base + layout->ub : all.ub;
        }
    free(layout->span);
    layout->span = all.span;
    layout->spans = all.spans;
    layout->lb = copies ? all.lb : 0;
    layout->ub = copies ? all.ub : 0;
}

static void become(struct layout *layout, MPI_Datatype type)
{
    if (layout->owned)
        MPI_Type_free(&layout->type);
    layout->type = type;
    layout->owned = true;
}

static size_t draw_divisor(struct rng *rng, size_t n)
{
    size_t divisor = 1 + rng_below(rng, n < 24 ? n : 24);
    while (n % divisor)
        divisor--;
    return divisor;
}

static void by_contiguous(struct layout *layout, size_t n, struct rng *rng)
{
    (void)rng;
    struct blocks blocks = blocks_new(1);
    MPI_Datatype type;
    blocks.length[0] = (int)n;
    MPI_Type_contiguous((int)n, layout->type, &type);
    place_copies(layout, &blocks);
    blocks_free(&blocks);
    become(layout, type);
}

static struct blocks blocks_in_steps(size_t count, size_t length, int64_t step)
{
    struct blocks blocks = blocks_new(count);
    for (size_t i = 0; i < count; i++) {
        blocks.length[i] = (int)length;
        blocks.at[i] = (int64_t)i * step;
    }
    return blocks;
}

static void by_vector(struct layout *layout, size_t n, struct rng *rng)
{
    size_t length = draw_divisor(rng, n);
    int stride = (int)(length + rng_below(rng, length + 2));
    MPI_Datatype type;
    /* Open MPI 4.1.4 takes a stride of -1 byte for 'the natural extent'. */
    if (rng_one_in(rng, 5) && stride * extent_of(layout) != 1)
        stride = -stride;
    struct blocks blocks = blocks_in_steps(n / length, length, stride * extent_of(layout));
    MPI_Type_vector((int)(n / length), (int)length, stride, layout->type, &type);
    place_copies(layout, &blocks);
    blocks_free(&blocks);
    become(layout, type);
}

static void by_hvector(struct layout *layout, size_t n, struct rng *rng)
{
    size_t length = draw_divisor(rng, n);
    int64_t stride = (int64_t)length * extent_of(layout) + 16 * (int64_t)rng_below(rng, 4);
    struct blocks blocks = blocks_in_steps(n / length, length, stride);
    MPI_Datatype type;
    MPI_Type_create_hvector((int)(n / length), (int)length, stride, layout->type, &type);
    place_copies(layout, &blocks);
    blocks_free(&blocks);
    become(layout, type);
}

/* Blocks of any lengths at multiples of the extent, sometimes in another order. */
static struct blocks draw_blocks(struct rng *rng, const struct layout *layout, size_t n)
{
    size_t most = n < 20 ? n : 20;
    struct blocks blocks = blocks_new(1 + rng_below(rng, most));
    int64_t at = -(int64_t)rng_below(rng, 4);
    size_t left = n;
    for (size_t i = 0; i < blocks.count; i++) {
        size_t after = blocks.count - i - 1;
        size_t length = after ? 1 + rng_below(rng, left / (after + 1)) : left;
        blocks.length[i] = (int)length;
        blocks.at[i] = at * extent_of(layout);
        at += (int64_t)(length + rng_below(rng, 1 + length / 2 + 2));
        left -= length;
    }
    for (size_t i = blocks.count; i > 1 && rng_one_in(rng, 2); i--) {
        size_t other = rng_below(rng, i);
        int length = blocks.length[i - 1];
        MPI_Aint where = blocks.at[i - 1];
        blocks.length[i - 1] = blocks.length[other], blocks.at[i - 1] = blocks.at[other];
        blocks.length[other] = length, blocks.at[other] = where;
    }
    return blocks;
}

static void by_indexed(struct layout *layout, size_t n, struct rng *rng)
{
    struct blocks blocks = draw_blocks(rng, layout, n);
    int *at = calloc(blocks.count, sizeof(int));
    MPI_Datatype type;
    for (size_t i = 0; i < blocks.count; i++)
        at[i] = (int)(blocks.at[i] / extent_of(layout));
    MPI_Type_indexed((int)blocks.count, blocks.length, at, layout->type, &type);
    free(at);
    place_copies(layout, &blocks);
    blocks_free(&blocks);
    become(layout, type);
}

static void by_hindexed(struct layout *layout, size_t n, struct rng *rng)
{
    struct blocks blocks = draw_blocks(rng, layout, n);
    MPI_Datatype type;
    MPI_Aint shift = 16 * (MPI_Aint)rng_below(rng, 3);
    for (size_t i = 0; i < blocks.count; i++)
        blocks.at[i] += shift;
    MPI_Type_create_hindexed((int)blocks.count, blocks.length, blocks.at, layout->type, &type);
    place_copies(layout, &blocks);
    blocks_free(&blocks);
    become(layout, type);
}

static void by_indexed_block(struct layout *layout, size_t n, struct rng *rng)
{
    size_t length = draw_divisor(rng, n);
    struct blocks blocks = blocks_in_steps(n / length, length, 0);
    int *at = calloc(blocks.count, sizeof(int));
    MPI_Datatype type;
    for (size_t i = 0, end = 0; i < blocks.count; i++) {
        at[i] = (int)(end + rng_below(rng, length + 1));
        end = (size_t)at[i] + length;
        blocks.at[i] = at[i] * extent_of(layout);
    }
    MPI_Type_create_indexed_block((int)blocks.count, (int)length, at, layout->type, &type);
    free(at);
    place_copies(layout, &blocks);
    blocks_free(&blocks);
    become(layout, type);
}

static void by_struct(struct layout *layout, size_t n, struct rng *rng)
{
    struct blocks blocks = draw_blocks(rng, layout, n);
    MPI_Datatype *types = malloc(blocks.count * sizeof(MPI_Datatype)), type;
    for (size_t i = 0; i < blocks.count; i++)
        types[i] = layout->type;
    MPI_Type_create_struct((int)blocks.count, blocks.length, blocks.at, types, &type);
    free(types);
    place_copies(layout, &blocks);
    blocks_free(&blocks);
    become(layout, type);
}

static void by_subarray(struct layout *layout, size_t n, struct rng *rng)
{
    size_t columns = draw_divisor(rng, n), rows = n / columns;
    int part[2] = {(int)rows, (int)columns}, start[2], whole[2];
    for (unsigned i = 0; i < 2; i++)
        start[i] = (int)rng_below(rng, 3);
    for (unsigned i = 0; i < 2; i++)
        whole[i] = part[i] + start[i] + (int)rng_below(rng, 3);
    int64_t extent = extent_of(layout);
    struct blocks blocks = blocks_in_steps(rows, columns, whole[1] * extent);
    MPI_Datatype type;
    for (size_t i = 0; i < rows; i++)
        blocks.at[i] += (start[0] * (int64_t)whole[1] + start[1]) * extent;
    MPI_Type_create_subarray(2, whole, part, start, MPI_ORDER_C, layout->type, &type);
    place_copies(layout, &blocks);
    blocks_free(&blocks);
    layout->lb = 0;
    layout->ub = (int64_t)whole[0] * whole[1] * extent;
    become(layout, type);
}

/* The last two leave the number of elements alone. */
static void by_resized(struct layout *layout, struct rng *rng)
{
    MPI_Datatype type;
    layout->lb -= 16 * (int64_t)rng_below(rng, 2);
    layout->ub += 16 * (int64_t)rng_below(rng, 3);
    MPI_Type_create_resized(layout->type, layout->lb, extent_of(layout), &type);
    become(layout, type);
}

static void by_dup(struct layout *layout)
{
    MPI_Datatype type;
    MPI_Type_dup(layout->type, &type);
    become(layout, type);
}

/* ---- Types -------------------------------------------------------------------------------- */

static void construct(struct layout *layout, size_t n, struct rng *rng)
{
    static void (*const constructors[])(struct layout *, size_t, struct rng *) = {
        by_contiguous, by_vector,        by_hvector, by_indexed,
        by_hindexed,   by_indexed_block, by_struct,  by_subarray,
    };
    size_t which = rng_below(rng, sizeof(constructors) / sizeof(constructors[0]));
    constructors[which](layout, n, rng);
    if (rng_one_in(rng, 6))
        by_resized(layout, rng);
    if (rng_one_in(rng, 10))
        by_dup(layout);
}

static void repeat(struct layout *layout, size_t count)
{
    struct blocks blocks = blocks_in_steps(1, count, 0);
    int64_t lb = layout->lb, ub = layout->ub;
    place_copies(layout, &blocks);
    blocks_free(&blocks);
    layout->count = (int)count;
    layout->lb = lb, layout->ub = ub;
}

/* The type is committed, and it is known between which bytes the spans lie. */
static struct layout complete(struct layout layout)
{
    if (layout.owned)
        MPI_Type_commit(&layout.type);
    for (size_t i = 0; i < layout.spans; i++) {
        const struct span *span = &layout.span[i];
        int64_t end = span->at + (int64_t)span->length;
        layout.low = i && layout.low < span->at ? layout.low : span->at;
        layout.high = i && layout.high > end ? layout.high : end;
    }
    layout.end = layout.end > layout.high ? layout.end : layout.high;
    return layout;
}

static void construct_any(struct layout *layout, size_t units, struct rng *rng)
{
    size_t inner = units ? draw_divisor(rng, units) : 0;
    switch (units ? rng_below(rng, 5) : 0) {
    case 0:
        repeat(layout, units);
        break;
    case 1:
        construct(layout, inner, rng);
        construct(layout, units / inner, rng);
        break;
    case 2:
        construct(layout, units / inner, rng);
        repeat(layout, inner);
        break;
    default:
        construct(layout, units, rng);
    }
}

static void construct_steps(struct layout *layout, size_t units, struct rng *rng)
{
    size_t inner = draw_divisor(rng, units);
    bool is_subarray = !rng_one_in(rng, 2);
    (is_subarray ? by_subarray : by_hvector)(layout, units / inner, rng);
    repeat(layout, inner);
}

struct layout layout_draw(struct rng *rng, enum shape shape, unsigned unit, size_t units)
{
    struct layout layout = layout_of_unit(unit, rng);
    if (shape == DENSE)
        repeat(&layout, units);
    else if (shape == STEPS)
        construct_steps(&layout, units, rng);
    else
        construct_any(&layout, units, rng);
    return complete(layout);
}

/* So many copies of the layout, of which the first few are in the list of spans. */
static void repeat_often(struct layout *layout, size_t copies, size_t listed, struct rng *rng)
{
    int64_t step = extent_of(layout), ub = layout->ub;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    size_t way = rng_below(rng, 3);
    if (way == 1)
        MPI_Type_contiguous((int)copies, layout->type, &type);
    if (way == 2) {
        step *= 2;
        MPI_Type_vector((int)copies, 1, 2, layout->type, &type);
    }
    struct blocks blocks = blocks_in_steps(listed, 1, step);
    place_copies(layout, &blocks);
    blocks_free(&blocks);
    if (type != MPI_DATATYPE_NULL)
        become(layout, type);
    layout->is_plain = false;
    layout->count = way == 0 ? (int)copies : 1;
    layout->end = (int64_t)(copies - 1) * step + ub;
}

struct layout layout_draw_roomy(struct rng *rng, unsigned unit, size_t units, size_t room)
{
    struct layout layout = layout_of_unit(unit, rng);
    size_t inner = 1 + rng_below(rng, 24);
    if (rng_one_in(rng, 3))
        inner = 1;
    else
        construct(&layout, inner, rng);
    for (; room / inner > INT_MAX; inner *= 64)
        by_contiguous(&layout, 64, rng);
    repeat_often(&layout, room / inner, units / inner + 1, rng);
    return complete(layout);
}

void layout_free_type(struct layout *layout)
{
    if (layout->owned)
        MPI_Type_free(&layout->type);
    layout->owned = false;
}

void layout_free(struct layout *layout)
{
    layout_free_type(layout);
    free(layout->span);
    layout->span = NULL;
}

void layout_scatter(const struct layout *layout, char *base, const char *packed, size_t bytes)
{
    for (size_t i = 0; i < layout->spans && bytes > 0; i++) {
        const struct span *span = &layout->span[i];
        size_t length = span->length < bytes ? span->length : bytes;
        memcpy(base + span->at, packed, length);
        packed += length;
        bytes -= length;
    }
}

void layout_gather(const struct layout *layout, const char *base, char *packed, size_t bytes)
{
    for (size_t i = 0; i < layout->spans && bytes > 0; i++) {
        const struct span *span = &layout->span[i];
        size_t length = span->length < bytes ? span->length : bytes;
        memcpy(packed, base + span->at, length);
        packed += length;
        bytes -= length;
    }
}
