/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a random layout, and where the oracle says that each packed byte of it is. */
#ifndef WEFT_TESTS_TRANSFER_SHAPE_H
#define WEFT_TESTS_TRANSFER_SHAPE_H

#include <weft.h>

#include "support/rng.h"

struct shape {
    weft_type *type;
    size_t count;
    size_t total;    /* packed bytes, at least as many as wished for */
    size_t element;  /* packed bytes of one of `count` */
    int64_t *places; /* of these, from `memory` */
    int64_t extent;  /* from one element to the next */
    size_t span;
    unsigned char *memory, *image;
    void *base;
};

/* The same for the same numbers, on every rank. */
void shape_open(struct shape *shape, uint64_t seed, size_t wish);
void shape_close(struct shape *shape);

/* Where byte `i` of the stream is, from `memory`. */
static inline int64_t shape_place(const struct shape *shape, size_t i)
{
    return shape->places[i % shape->element] + (int64_t)(i / shape->element) * shape->extent;
}

/* Byte `i` of the stream of this number. */
static inline unsigned char shape_byte(uint64_t number, size_t i)
{
    return (unsigned char)(number * 37 + i * (1 + number % 5) + (i >> 8) * 3);
}

/* Writes bytes [from, to) of a stream into the memory, or into the image of what it should be. */
void shape_fill(struct shape *shape, uint64_t number, size_t from, size_t to);
void shape_expect(struct shape *shape, uint64_t number, size_t from, size_t to);

/* Whether the memory is as expected, also between and around the pieces. */
bool shape_is_right(const struct shape *shape);

#endif
