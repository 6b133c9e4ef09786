/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/generate.h"

static void generate_subarray(struct rng *rng, struct model *model, size_t i)
{
    model->lengths[i] =
        rng_one_in(rng, 3) ? model->sizes[i] : 1 + rng_below(rng, model->sizes[i]);
    model->starts[i] = rng_below(rng, model->sizes[i] - model->lengths[i] + 1);
}

static void generate_distribution(struct rng *rng, struct model *model, size_t i)
{
    size_t size = model->sizes[i];
    size_t procs = model->starts[i] = 1 + rng_below(rng, 4);
    model->distributions[i] = rng_below(rng, 3);
    model->lengths[i] = WEFT_DISTRIBUTE_DEFAULT;
    if (model->distributions[i] == WEFT_DISTRIBUTE_NONE)
        model->starts[i] = 1;
    else if (rng_one_in(rng, 2))
        model->lengths[i] = model->distributions[i] == WEFT_DISTRIBUTE_BLOCK
                                ? (size + procs - 1) / procs + rng_below(rng, 3)
                                : 1 + rng_below(rng, 4);
    model->nprocs *= model->starts[i];
}

void generate_dimensions(struct generator *generator, struct model *model, size_t room)
{
    struct rng *rng = generator->rng;
    size_t n = model->count = 1 + rng_below(rng, 4);
    model->order = rng_one_in(rng, 2) ? WEFT_ORDER_C : WEFT_ORDER_FORTRAN;
    model->sizes = model_alloc(n, sizeof(*model->sizes));
    model->lengths = model_alloc(n, sizeof(*model->lengths));
    model->starts = model_alloc(n, sizeof(*model->starts));
    if (model->kind == MODEL_DARRAY) {
        model->distributions = model_alloc(n, sizeof(*model->distributions));
        model->nprocs = 1;
    }
    for (size_t i = 0; i < n; i++) {
        model->sizes[i] = rng_magnitude(rng, room ? room : 1);
        room /= model->sizes[i];
        if (model->kind == MODEL_SUBARRAY)
            generate_subarray(rng, model, i);
        else
            generate_distribution(rng, model, i);
    }
    if (model->kind == MODEL_DARRAY)
        model->rank = rng_below(rng, model->nprocs);
}
