/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/mpi/model_mpi.h"

#include <limits.h>
#include <stdlib.h>

#include "support/typemap.h"

/* MPI need not copy the padding inside a long double, so another type of its size stands in. */
static MPI_Datatype basic_type(enum weft_basic basic)
{
    switch (basic) {
    case WEFT_BYTE:
        return MPI_BYTE;
    case WEFT_CHAR:
        return MPI_CHAR;
    case WEFT_INT8:
        return MPI_INT8_T;
    case WEFT_INT16:
        return MPI_INT16_T;
    case WEFT_INT32:
        return MPI_INT32_T;
    case WEFT_INT64:
        return MPI_INT64_T;
    case WEFT_UINT8:
        return MPI_UINT8_T;
    case WEFT_UINT16:
        return MPI_UINT16_T;
    case WEFT_UINT32:
        return MPI_UINT32_T;
    case WEFT_UINT64:
        return MPI_UINT64_T;
    case WEFT_SHORT:
        return MPI_SHORT;
    case WEFT_INT:
        return MPI_INT;
    case WEFT_LONG:
        return MPI_LONG;
    case WEFT_FLOAT:
        return MPI_FLOAT;
    case WEFT_DOUBLE:
        return MPI_DOUBLE;
    case WEFT_COMPLEX:
        return MPI_C_FLOAT_COMPLEX;
    default:
        return MPI_C_DOUBLE_COMPLEX;
    }
}

bool model_fits_mpi(const struct model *model)
{
    bool elements = model->kind == MODEL_INDEXED || model->kind == MODEL_INDEXED_BLOCK;
    for (size_t i = 0; elements && i < model->count; i++)
        if (model->where[i] < INT_MIN || model->where[i] > INT_MAX)
            return false;
    for (size_t i = 0; i < model->children; i++)
        if (!model_fits_mpi(model->child[i]))
            return false;
    return true;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static int *ints_of_sizes(const size_t *values, size_t count)
{
    int *ints = model_alloc(count, sizeof(*ints));
    for (size_t i = 0; values && i < count; i++)
        ints[i] = (int)values[i];
    return ints;
}

static int *ints_of_places(const ptrdiff_t *values, size_t count)
{
    int *ints = model_alloc(count, sizeof(*ints));
    for (size_t i = 0; values && i < count; i++)
        ints[i] = (int)values[i];
    return ints;
}

static MPI_Aint *addresses(const ptrdiff_t *values, size_t count)
{
    MPI_Aint *places = model_alloc(count, sizeof(*places));
    for (size_t i = 0; values && i < count; i++)
        places[i] = (MPI_Aint)values[i];
    return places;
}

static int *distributions(const struct model *model)
{
    static const int of[] = {
        [WEFT_DISTRIBUTE_NONE] = MPI_DISTRIBUTE_NONE,
        [WEFT_DISTRIBUTE_BLOCK] = MPI_DISTRIBUTE_BLOCK,
        [WEFT_DISTRIBUTE_CYCLIC] = MPI_DISTRIBUTE_CYCLIC,
    };
    int *ints = model_alloc(model->count, sizeof(*ints));
    for (size_t i = 0; model->distributions && i < model->count; i++)
        ints[i] = of[model->distributions[i]];
    return ints;
}

/* ---- Kinds -------------------------------------------------------------------------------- */

static MPI_Datatype build_darray(const struct model *model, MPI_Datatype old, int order,
                                 int *sizes, int *blocks, int *procs)
{
    MPI_Datatype out = MPI_DATATYPE_NULL;
    int *dealt = distributions(model);
    for (size_t i = 0; i < model->count; i++)
        if (model->lengths[i] == WEFT_DISTRIBUTE_DEFAULT)
            blocks[i] = MPI_DISTRIBUTE_DFLT_DARG;
    MPI_Type_create_darray((int)model->nprocs, (int)model->rank, (int)model->count, sizes, dealt,
                           blocks, procs, order, old, &out);
    free(dealt);
    return out;
}

static MPI_Datatype build_array(const struct model *model, MPI_Datatype old)
{
    MPI_Datatype out = MPI_DATATYPE_NULL;
    size_t n = model->count;
    int order = model->order == WEFT_ORDER_C ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    int *sizes = ints_of_sizes(model->sizes, n), *lengths = ints_of_sizes(model->lengths, n);
    int *starts = ints_of_sizes(model->starts, n);
    if (model->kind == MODEL_SUBARRAY)
        MPI_Type_create_subarray((int)n, sizes, lengths, starts, order, old, &out);
    else
        out = build_darray(model, old, order, sizes, lengths, starts);
    free(sizes);
    free(lengths);
    free(starts);
    return out;
}

static MPI_Datatype build_list(const struct model *model, MPI_Datatype old)
{
    MPI_Datatype out = MPI_DATATYPE_NULL;
    int n = (int)model->count, blocklength = (int)model->blocklength;
    int *lengths = ints_of_sizes(model->lengths, model->count);
    int *elements = ints_of_places(model->where, model->count);
    MPI_Aint *bytes = addresses(model->where, model->count);
    if (model->kind == MODEL_INDEXED)
        MPI_Type_indexed(n, lengths, elements, old, &out);
    else if (model->kind == MODEL_HINDEXED)
        MPI_Type_create_hindexed(n, lengths, bytes, old, &out);
    else if (model->kind == MODEL_INDEXED_BLOCK)
        MPI_Type_create_indexed_block(n, blocklength, elements, old, &out);
    else
        MPI_Type_create_hindexed_block(n, blocklength, bytes, old, &out);
    free(lengths);
    free(elements);
    free(bytes);
    return out;
}

static MPI_Datatype build_struct(const struct model *model)
{
    MPI_Datatype out = MPI_DATATYPE_NULL, *members = model_alloc(model->count, sizeof(*members));
    int *lengths = ints_of_sizes(model->lengths, model->count);
    MPI_Aint *bytes = addresses(model->where, model->count);
    for (size_t i = 0; i < model->count; i++)
        members[i] = model_build_mpi(model->child[i]);
    MPI_Type_create_struct((int)model->count, lengths, bytes, members, &out);
    for (size_t i = 0; i < model->count; i++)
        MPI_Type_free(&members[i]);
    free(members);
    free(lengths);
    free(bytes);
    return out;
}

static MPI_Datatype build_above(const struct model *model, MPI_Datatype old)
{
    MPI_Datatype out = MPI_DATATYPE_NULL;
    int n = (int)model->count, blocklength = (int)model->blocklength;
    switch (model->kind) {
    case MODEL_CONTIGUOUS:
        MPI_Type_contiguous(n, old, &out);
        return out;
    case MODEL_VECTOR:
        MPI_Type_vector(n, blocklength, (int)model->stride, old, &out);
        return out;
    case MODEL_HVECTOR:
        MPI_Type_create_hvector(n, blocklength, model->stride, old, &out);
        return out;
    case MODEL_SUBARRAY:
    case MODEL_DARRAY:
        return build_array(model, old);
    case MODEL_RESIZED:
        MPI_Type_create_resized(old, model->lb, model->extent, &out);
        return out;
    case MODEL_DUP:
        MPI_Type_dup(old, &out);
        return out;
    default:
        return build_list(model, old);
    }
}

/* Whether MPI may give a type other bounds than Weft does. */
static bool bounds_may_differ(const struct model *model, MPI_Datatype type)
{
    const struct typemap *map = typemap_of(model);
    MPI_Aint lb, extent;
    MPI_Type_get_extent(type, &lb, &extent);
    ptrdiff_t padding = extent - typemap_extent(map);
    /* The bounds of resized members override those of the others. */
    if (model->kind == MODEL_STRUCT)
        return true;
    /* The standard does not say where a type without bytes begins and ends. */
    if (map->size == 0)
        return true;
    /* An extent may be rounded up to the alignment that elements need; Open MPI does so after
     * each block that it adds. */
    size_t times = model->where ? model->count : 1;
    return lb == map->lb && padding > 0 &&
           padding < (ptrdiff_t)(times * _Alignof(max_align_t));
}

static MPI_Datatype with_bounds_of_model(const struct model *model, MPI_Datatype type)
{
    const struct typemap *map = typemap_of(model);
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    if (type == MPI_DATATYPE_NULL || !bounds_may_differ(model, type))
        return type;
    MPI_Type_create_resized(type, map->lb, typemap_extent(map), &resized);
    MPI_Type_free(&type);
    return resized;
}

MPI_Datatype model_build_mpi(const struct model *model)
{
    MPI_Datatype out = MPI_DATATYPE_NULL;
    if (model->kind == MODEL_STRUCT)
        return with_bounds_of_model(model, build_struct(model));
    if (model->kind == MODEL_BASIC) {
        MPI_Type_dup(basic_type(model->basic), &out); /* so that every type can be freed */
        return out;
    }
    MPI_Datatype old = model_build_mpi(model->child[0]);
    out = build_above(model, old);
    MPI_Type_free(&old);
    return with_bounds_of_model(model, out);
}
