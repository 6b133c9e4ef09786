/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TESTS_GENERATE_H
#define WEFT_TESTS_GENERATE_H

#include "support/model.h"
#include "support/rng.h"

/* Depth of the constructor calls. */
#define GENERATE_DEPTH 5

/* No bound of a generated type is further from 0. */
#define GENERATE_REACH ((int64_t)1 << 35)

struct generator {
    struct rng *rng;
    size_t elements; /* at most so many basic elements */
    bool far;        /* displacements beyond 4 GiB are used */
};

/* A type of any constructors, up to that depth. */
struct model *generate_model(struct generator *generator, unsigned depth);

/* Fills lengths (which may be NULL: all are `length`) and displacements of `count` blocks.
 * `unit` is what one element takes in the unit of the displacements; the lengths add up to at
 * most `room`. */
void generate_list(struct generator *generator, size_t count, size_t room, ptrdiff_t unit,
                   size_t length, size_t *lengths, ptrdiff_t *where);

/* Bytes from one block to the next, if a block takes `span`. */
ptrdiff_t generate_stride(struct generator *generator, ptrdiff_t span);

/* Fills the dimensions of a subarray or darray of at most `room` elements in all. */
void generate_dimensions(struct generator *generator, struct model *model, size_t room);

#endif
