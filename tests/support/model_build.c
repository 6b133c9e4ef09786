/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "support/model.h"

static int build_struct(const struct model *model, weft_type **out)
{
    weft_type **members = model_alloc(model->count, sizeof(*members));
    int rc = WEFT_OK;
    for (size_t i = 0; i < model->count && !rc; i++)
        rc = model_build(model->child[i], &members[i]);
    if (!rc)
        rc = weft_type_struct(model->count, model->lengths, model->where,
                              (const weft_type *const *)members, out);
    for (size_t i = 0; i < model->count; i++)
        weft_type_free(members[i]);
    free(members);
    return rc;
}

static int build_above(const struct model *model, const weft_type *old, weft_type **out)
{
    size_t n = model->count;
    switch (model->kind) {
    case MODEL_CONTIGUOUS:
        return weft_type_contiguous(n, old, out);
    case MODEL_VECTOR:
        return weft_type_vector(n, model->blocklength, model->stride, old, out);
    case MODEL_HVECTOR:
        return weft_type_hvector(n, model->blocklength, model->stride, old, out);
    case MODEL_INDEXED:
        return weft_type_indexed(n, model->lengths, model->where, old, out);
    case MODEL_HINDEXED:
        return weft_type_hindexed(n, model->lengths, model->where, old, out);
    case MODEL_INDEXED_BLOCK:
        return weft_type_indexed_block(n, model->blocklength, model->where, old, out);
    case MODEL_HINDEXED_BLOCK:
        return weft_type_hindexed_block(n, model->blocklength, model->where, old, out);
    case MODEL_SUBARRAY:
        return weft_type_subarray(n, model->sizes, model->lengths, model->starts, model->order,
                                  old, out);
    case MODEL_DARRAY:
        return weft_type_darray(model->nprocs, model->rank, n, model->sizes,
                                model->distributions, model->lengths, model->starts,
                                model->order, old, out);
    case MODEL_RESIZED:
        return weft_type_resized(old, model->lb, model->extent, out);
    case MODEL_DUP:
        return weft_type_dup(old, out);
    default:
        abort();
    }
}

int model_build(const struct model *model, weft_type **out)
{
    if (model->kind == MODEL_STRUCT)
        return build_struct(model, out);
    if (model->kind == MODEL_BASIC) {
        *out = weft_basic(model->basic);
        return WEFT_OK;
    }
    weft_type *old;
    int rc = model_build(model->child[0], &old);
    if (rc)
        return rc;
    rc = build_above(model, old, out);
    weft_type_free(old);
    return rc;
}
