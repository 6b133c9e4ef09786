/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/mpi/known_bugs.h"

#include <mpi.h>

#include "support/tap.h"
#include "support/typemap.h"

static bool some_node(const struct model *model, bool (*affects)(const struct model *node))
{
    for (size_t i = 0; i < model->children; i++)
        if (some_node(model->child[i], affects))
            return true;
    return affects(model);
}

/* ---- Predicates on one node --------------------------------------------------------------- */

#ifdef OPEN_MPI

static int64_t stride_in_bytes(const struct model *model)
{
    int64_t extent = typemap_extent(typemap_of(model->child[0]));
    return model->kind == MODEL_HVECTOR ? model->stride : model->stride * extent;
}

static bool steps_back_one_byte(const struct model *model)
{
    if (model->kind == MODEL_RESIZED)
        return model->extent == -1;
    return (model->kind == MODEL_VECTOR || model->kind == MODEL_HVECTOR) &&
           stride_in_bytes(model) == -1;
}

static bool is_darray_of_nothing(const struct model *model)
{
    return model->kind == MODEL_DARRAY && typemap_of(model->child[0])->size == 0;
}

#else

/* MPICH builds a cyclic share as a struct of the whole blocks and the rest. */
static bool has_no_whole_block(const struct model *model)
{
    size_t rank = model->rank, procs = model->nprocs;
    for (size_t i = 0; i < model->count; i++) {
        procs /= model->starts[i];
        size_t coordinate = rank / procs;
        rank %= procs;
        if (model->distributions[i] == WEFT_DISTRIBUTE_CYCLIC &&
            model->sizes[i] < (coordinate + 1) * model->lengths[i])
            return true;
    }
    return false;
}

static bool is_struct_with_empty_member(const struct model *model)
{
    if (model->kind == MODEL_DARRAY)
        return has_no_whole_block(model);
    for (size_t i = 0; model->kind == MODEL_STRUCT && i < model->count; i++)
        if (model->lengths[i] && typemap_of(model->child[i])->size == 0)
            return true;
    return false;
}

static bool has_blocks_without_elements(const struct model *model)
{
    return model->count > 0 && model->blocklength == 0 && !model->lengths;
}

static bool divides_by_zero(const struct model *model)
{
    for (size_t i = 0; model->kind == MODEL_STRUCT && i < model->count; i++)
        if (typemap_of(model->child[i])->size == 0 &&
            some_node(model->child[i], has_blocks_without_elements))
            return true;
    return false;
}

/* MPICH takes a vector of one block for a contiguous type. */
static bool is_contiguous_backwards(const struct model *model)
{
    bool vector = model->kind == MODEL_VECTOR || model->kind == MODEL_HVECTOR;
    return (model->kind == MODEL_CONTIGUOUS || (vector && model->count == 1)) &&
           typemap_extent(typemap_of(model->child[0])) < 0;
}

#endif

/* ---- The bugs ----------------------------------------------------------------------------- */

static struct bug {
    const char *what;
    bool (*affects)(const struct model *node); /* some node of the type */
    unsigned symptoms;
    unsigned long met;
} bugs[] = {
#ifdef OPEN_MPI
    {"Open MPI takes a stride of -1 byte for 'the natural extent'", steps_back_one_byte,
     SYMPTOM_BOUNDS | SYMPTOM_TRUE_BOUNDS | SYMPTOM_DATA, 0},
    {"Open MPI refuses a darray of a type without bytes", is_darray_of_nothing, SYMPTOM_REFUSED,
     0},
#else
    {"MPICH lets struct members without bytes widen the true bounds",
     is_struct_with_empty_member, SYMPTOM_TRUE_BOUNDS, 0},
    {"MPICH divides by zero in a struct with a member whose blocks have no elements",
     divides_by_zero, SYMPTOM_FAULT, 0},
    {"MPICH places the elements of a contiguous type by its child's extent if that is negative",
     is_contiguous_backwards, SYMPTOM_FAULT, 0},
#endif
};

bool known_bug(const struct model *model, enum symptom symptom)
{
    for (size_t i = 0; i < sizeof(bugs) / sizeof(bugs[0]); i++) {
        if ((bugs[i].symptoms & symptom) && some_node(model, bugs[i].affects)) {
            bugs[i].met++;
            return true;
        }
    }
    return false;
}

void known_bugs_report(void)
{
    for (size_t i = 0; i < sizeof(bugs) / sizeof(bugs[0]); i++)
        tap_note("%lu types left out: %s", bugs[i].met, bugs[i].what);
}
