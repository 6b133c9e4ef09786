/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The type map of a model, written straight from the definitions of the MPI standard: the list of
 * all basic elements in packed order. It is what the library is compared with, so it is as simple
 * as it can be, whatever that costs.
 */
#ifndef WEFT_TESTS_TYPEMAP_H
#define WEFT_TESTS_TYPEMAP_H

#include "support/model.h"

struct span {
    int64_t at;
    size_t length;
};

struct typemap {
    struct span *spans;
    size_t count;
    size_t size;
    int64_t lb, ub;
    int64_t true_lb, true_ub; /* 0 if there are no bytes */
};

/* Belongs to the model. */
const struct typemap *typemap_of(const struct model *model);
void typemap_free(struct typemap *map);

static inline int64_t typemap_extent(const struct typemap *map)
{
    return map->ub - map->lb;
}

/* Whether two of the bytes of `count` elements have the same address. */
bool typemap_overlaps(const struct typemap *map, size_t count);

/* Pieces of memory of one element, neighbours in packed order that touch counted as one. */
size_t typemap_pieces(const struct typemap *map);

/* The displacement of every packed byte of `count` elements; the caller frees it. */
int64_t *typemap_places(const struct typemap *map, size_t count);

#endif
