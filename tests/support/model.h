/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A model of a type: the constructor calls that make it, as a tree. It knows nothing of the
 * library under test except the enumerations of weft.h.
 */
#ifndef WEFT_TESTS_MODEL_H
#define WEFT_TESTS_MODEL_H

#include <weft.h>

enum model_kind {
    MODEL_BASIC,
    MODEL_CONTIGUOUS,
    MODEL_VECTOR,
    MODEL_HVECTOR,
    MODEL_INDEXED,
    MODEL_HINDEXED,
    MODEL_INDEXED_BLOCK,
    MODEL_HINDEXED_BLOCK,
    MODEL_STRUCT,
    MODEL_SUBARRAY,
    MODEL_DARRAY,
    MODEL_RESIZED,
    MODEL_DUP,
    MODEL_KINDS
};

struct typemap;

/* What a kind does not use is 0 or NULL. */
struct model {
    enum model_kind kind;
    enum weft_basic basic;
    enum weft_order order;
    size_t count;       /* copies, blocks, members or dimensions; arrays are so long */
    size_t blocklength; /* contiguous has 1 */
    size_t nprocs, rank;
    ptrdiff_t stride;
    ptrdiff_t lb, extent;
    size_t *lengths; /* block lengths; subarray: subsizes; darray: block sizes */
    size_t *sizes;   /* subarray and darray: of the whole array */
    size_t *starts;  /* subarray: starts; darray: processes in each dimension */
    ptrdiff_t *where;
    enum weft_distribution *distributions;
    size_t children; /* struct: count; basic: 0; others: 1 */
    struct model **child;
    struct typemap *map; /* found when first asked for */
};

struct model *model_new(enum model_kind kind);
struct model *model_basic(enum weft_basic basic);

/* A node of that kind above a child, which it then owns. */
struct model *model_above(enum model_kind kind, struct model *child);

struct model *model_copy(const struct model *model);
void model_free(struct model *model);

/* Memory that never runs out: the program ends instead. */
void *model_alloc(size_t count, size_t size);
void *model_copy_array(const void *array, size_t count, size_t size);

size_t model_basic_size(enum weft_basic basic);
size_t model_nodes(const struct model *model);

/* Whether the arguments of the node itself are such as MPI allows. */
bool model_valid(const struct model *model);

/* The text notation; the caller frees it. */
char *model_text(const struct model *model);

/* The type, by the constructors of weft.h. */
int model_build(const struct model *model, weft_type **out);

#endif
