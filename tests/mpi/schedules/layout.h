/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random datatypes of a given signature, with the places of their bytes. The places are worked out
 * here, from the arguments of the constructors, and never asked of MPI.
 */
#ifndef WEFT_TESTS_MPI_RUN_LAYOUT_H
#define WEFT_TESTS_MPI_RUN_LAYOUT_H

#include <mpi.h>

#include "mpi/schedules/unit.h"

struct span {
    int64_t at;
    size_t length;
};

struct layout {
    MPI_Datatype type;
    bool owned;    /* the type is ours to free */
    bool is_plain; /* of basic types, no pairs, and of a size that is an int */
    int count;
    struct span *span; /* in packed order */
    size_t spans;
    int64_t lb, ub;    /* of one element */
    int64_t low, high; /* of all bytes in the list of spans */
    int64_t end;       /* of all that MPI is told it may write to */
};

/* ANY is whatever the constructors give; DENSE one after the other, without a type of its own if
 * the unit is a basic type; in STEPS no byte lies before one that comes earlier in the stream. */
enum shape { ANY, DENSE, STEPS };

/* The type is committed. */
struct layout layout_draw(struct rng *rng, enum shape shape, unsigned unit, size_t units);

/* The same, with room for far more units than will come: only these have spans. */
struct layout layout_draw_roomy(struct rng *rng, unsigned unit, size_t units, size_t room);
void layout_free_type(struct layout *layout);
void layout_free(struct layout *layout);

/* Copies the first bytes of a packed stream to their places, and back. */
void layout_scatter(const struct layout *layout, char *base, const char *packed, size_t bytes);
void layout_gather(const struct layout *layout, const char *base, char *packed, size_t bytes);

#endif
