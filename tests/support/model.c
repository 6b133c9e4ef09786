/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/typemap.h"

void *model_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "out of memory in the test itself\n");
        abort();
    }
    return memory;
}

void *model_copy_array(const void *array, size_t count, size_t size)
{
    if (!array)
        return NULL;
    void *copy = model_alloc(count, size);
    memcpy(copy, array, count * size);
    return copy;
}

struct model *model_new(enum model_kind kind)
{
    struct model *model = model_alloc(1, sizeof(*model));
    model->kind = kind;
    return model;
}

struct model *model_basic(enum weft_basic basic)
{
    struct model *model = model_new(MODEL_BASIC);
    model->basic = basic;
    return model;
}

struct model *model_above(enum model_kind kind, struct model *child)
{
    struct model *model = model_new(kind);
    model->blocklength = 1;
    model->children = 1;
    model->child = model_alloc(1, sizeof(struct model *));
    model->child[0] = child;
    return model;
}

struct model *model_copy(const struct model *model)
{
    struct model *copy = model_copy_array(model, 1, sizeof(*model));
    size_t n = model->count;
    copy->lengths = model_copy_array(model->lengths, n, sizeof(*model->lengths));
    copy->sizes = model_copy_array(model->sizes, n, sizeof(*model->sizes));
    copy->starts = model_copy_array(model->starts, n, sizeof(*model->starts));
    copy->where = model_copy_array(model->where, n, sizeof(*model->where));
    copy->distributions =
        model_copy_array(model->distributions, n, sizeof(*model->distributions));
    copy->child = model_alloc(model->children, sizeof(struct model *));
    for (size_t i = 0; i < model->children; i++)
        copy->child[i] = model_copy(model->child[i]);
    copy->map = NULL;
    return copy;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < model->children; i++)
        model_free(model->child[i]);
    free(model->child);
    free(model->lengths);
    free(model->sizes);
    free(model->starts);
    free(model->where);
    free(model->distributions);
    typemap_free(model->map);
    free(model);
}

size_t model_basic_size(enum weft_basic basic)
{
    static const size_t sizes[] = {
#define BASIC_SIZE(name, ctype, text) sizeof(ctype),
        WEFT_BASIC_MAP(BASIC_SIZE)
#undef BASIC_SIZE
    };
    return sizes[basic];
}

size_t model_nodes(const struct model *model)
{
    size_t nodes = 1;
    for (size_t i = 0; i < model->children; i++)
        nodes += model_nodes(model->child[i]);
    return nodes;
}

static bool darray_dimension_valid(const struct model *model, size_t i)
{
    size_t procs = model->starts[i], block = model->lengths[i];
    switch (model->distributions[i]) {
    case WEFT_DISTRIBUTE_NONE:
        return procs == 1 && block == WEFT_DISTRIBUTE_DEFAULT;
    case WEFT_DISTRIBUTE_BLOCK:
        return block == WEFT_DISTRIBUTE_DEFAULT || block * procs >= model->sizes[i];
    default:
        return true;
    }
}

bool model_valid(const struct model *model)
{
    size_t procs = 1;
    if (model->kind != MODEL_SUBARRAY && model->kind != MODEL_DARRAY)
        return true;
    for (size_t i = 0; i < model->count; i++) {
        if (model->kind == MODEL_SUBARRAY &&
            (model->lengths[i] == 0 || model->starts[i] + model->lengths[i] > model->sizes[i]))
            return false;
        if (model->kind == MODEL_DARRAY &&
            (model->sizes[i] == 0 || model->starts[i] == 0 || !darray_dimension_valid(model, i)))
            return false;
        procs *= model->starts[i];
    }
    return model->count > 0 &&
           (model->kind == MODEL_SUBARRAY ||
            (procs == model->nprocs && model->rank < model->nprocs));
}
