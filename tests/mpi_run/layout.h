/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random datatypes of a given signature, with the places of their bytes. The places are worked out
 * here, from the arguments of the constructors, and never asked of MPI.
 */
#ifndef WEFT_TESTS_MPI_RUN_LAYOUT_H
#define WEFT_TESTS_MPI_RUN_LAYOUT_H

#include <mpi.h>

#include "support/rng.h"

/* A signature is some copies of a unit: one basic type, or a few of them one after the other. */
unsigned unit_draw(struct rng *rng);
size_t unit_bytes(unsigned unit);
size_t unit_elements(unsigned unit);

struct span {
    int64_t at;
    size_t length;
};

struct layout {
    MPI_Datatype type;
    bool owned; /* the type is ours to free */
    int count;
    struct span *span; /* in packed order */
    size_t spans;
    int64_t lb, ub;    /* of one element */
    int64_t low, high; /* of all bytes of all elements */
};

/* The type is committed. */
struct layout layout_draw(struct rng *rng, unsigned unit, size_t units);
void layout_free_type(struct layout *layout);
void layout_free(struct layout *layout);

/* Copies the first bytes of a packed stream to their places, and back. */
void layout_scatter(const struct layout *layout, char *base, const char *packed, size_t bytes);

#endif
