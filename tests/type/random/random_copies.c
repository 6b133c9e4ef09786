/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between pairs of plain layouts, long enough for every way that weft_copy has, against the
 * naive type map; campaign.h has the arguments. */
#include "support/model.h"
#include "type/random/campaign.h"
#include "type/random/checks.h"

#define MOST_ELEMENTS 8192

static struct model *blocks_of(size_t length, struct model *child)
{
    struct model *model = model_above(MODEL_CONTIGUOUS, child);
    model->count = length;
    model->blocklength = 1;
    return model;
}

static struct model *rows_of(size_t count, ptrdiff_t stride, struct model *child)
{
    struct model *model = model_above(MODEL_HVECTOR, child);
    model->count = count;
    model->blocklength = 1;
    model->stride = stride;
    return model;
}

/* Gaps of all kinds: none, within a line, several lines. */
static ptrdiff_t draw_gap(struct rng *rng)
{
    static const ptrdiff_t gaps[] = {0, 4, 8, 24, 120, 512, 1000};
    return gaps[rng_below(rng, sizeof(gaps) / sizeof(*gaps))];
}

static struct model *make_vector(struct rng *rng, size_t count, ptrdiff_t bytes,
                                 struct model *block)
{
    ptrdiff_t stride = bytes + draw_gap(rng);
    return rows_of(count, rng_one_in(rng, 4) ? -stride : stride, block);
}

static struct model *make_rows(struct rng *rng, size_t count, ptrdiff_t bytes, struct model *block)
{
    size_t inner = 1 + rng_below(rng, 12);
    ptrdiff_t stride = bytes + draw_gap(rng);
    ptrdiff_t row = (ptrdiff_t)inner * stride + draw_gap(rng);
    return rows_of(1 + count / inner, row, rows_of(inner, stride, block));
}

/* Columns of a matrix, one after the other. */
static struct model *make_turned(struct rng *rng, size_t count, ptrdiff_t bytes,
                                 struct model *block)
{
    size_t columns = 1 + rng_below(rng, 64);
    ptrdiff_t row = (ptrdiff_t)columns * bytes + draw_gap(rng);
    struct model *column = model_above(MODEL_RESIZED, rows_of(1 + count / columns, row, block));
    column->extent = bytes;
    return blocks_of(columns, column);
}

static void shuffle(struct rng *rng, ptrdiff_t *where, size_t count)
{
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = rng_below(rng, i + 1);
        ptrdiff_t there = where[i];
        where[i] = where[j];
        where[j] = there;
    }
}

static struct model *make_list(struct rng *rng, size_t count, ptrdiff_t bytes, struct model *block)
{
    struct model *model = model_above(MODEL_HINDEXED_BLOCK, block);
    ptrdiff_t gap = draw_gap(rng);
    model->count = count;
    model->blocklength = 1;
    model->where = model_alloc(count, sizeof(*model->where));
    for (size_t i = 0; i < count; i++)
        model->where[i] = (ptrdiff_t)i * (bytes + gap);
    shuffle(rng, model->where, count);
    return model;
}

/* Of up to `length` elements each, of `bytes` bytes. */
static struct model *make_varied(struct rng *rng, size_t count, size_t length, ptrdiff_t bytes,
                                 struct model *element)
{
    struct model *model = model_above(MODEL_HINDEXED, element);
    model->count = count;
    model->where = model_alloc(count, sizeof(*model->where));
    model->lengths = model_alloc(count, sizeof(*model->lengths));
    ptrdiff_t at = 0;
    for (size_t i = 0; i < count; i++) {
        model->lengths[i] = 1 + rng_below(rng, length);
        model->where[i] = at;
        at += (ptrdiff_t)model->lengths[i] * bytes + draw_gap(rng);
    }
    return model;
}

static struct model *make_layout(struct rng *rng, enum weft_basic basic)
{
    static const size_t lengths[] = {1, 1, 2, 2, 3, 4, 6, 8, 16, 24, 32, 64, 128};
    size_t length = lengths[rng_below(rng, sizeof(lengths) / sizeof(*lengths))];
    size_t count = 1 + rng_below(rng, MOST_ELEMENTS) / length;
    ptrdiff_t element = (ptrdiff_t)model_basic_size(basic), bytes = (ptrdiff_t)length * element;
    struct model *leaf = model_basic(basic);
    switch (rng_below(rng, 6)) {
    case 0:
        return make_varied(rng, count, length, element, leaf);
    case 1:
        return make_list(rng, count, bytes, blocks_of(length, leaf));
    case 2:
        return make_turned(rng, count, bytes, blocks_of(length, leaf));
    case 3:
        return make_rows(rng, count, bytes, blocks_of(length, leaf));
    default:
        return make_vector(rng, count, bytes, blocks_of(length, leaf));
    }
}

static struct trial pair_of_layouts(uint64_t seed, uint64_t index)
{
    static const enum weft_basic basics[] = {WEFT_INT, WEFT_DOUBLE, WEFT_DOUBLE, WEFT_CHAR};
    struct rng rng = rng_stream(seed, index);
    enum weft_basic basic = basics[rng_below(&rng, sizeof(basics) / sizeof(*basics))];
    struct rng same = rng;
    struct trial trial = {.model = make_layout(&rng, basic)};
    bool are_equal = rng_below(&rng, 4) == 0; /* as the types of both ends mostly are */
    trial.peer = make_layout(are_equal ? &same : &rng, basic);
    trial.count = 1 + rng_below(&rng, 3);
    trial.seed = rng_next(&rng);
    return trial;
}

static const trial_check checks[] = {check_copy_whole, check_copy_ranges, NULL};

int main(int argc, char **argv)
{
    return campaign_run_with(argc, argv, pair_of_layouts, checks);
}
