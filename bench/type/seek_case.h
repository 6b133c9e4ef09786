/* SPDX-License-Identifier: BSD-3-Clause */
/* Irregular types of many blocks, and beside each the plain list of its pieces. */
#ifndef WEFT_BENCH_TYPE_SEEK_CASE_H
#define WEFT_BENCH_TYPE_SEEK_CASE_H

#include <stddef.h>

#include <weft.h>

enum seek_shape { SEEK_INDEXED, SEEK_STRUCT, SEEK_LIST_OF_LISTS };
#define SEEK_SHAPES 3

extern const char *const seek_shape_names[];

struct seek_case {
    enum seek_shape shape;
    size_t blocks;
    weft_type *type;
    size_t extent;
    /* Piece i lies at where[i] and holds packed bytes start[i] to start[i + 1]. */
    ptrdiff_t *where;
    size_t *start;
    /* From here to the end the blocks are those of the start again, of the same lengths and at
     * the same places in their pages: a range of SEEK_RANGE bytes, and no more blocks than that.
     */
    size_t last_range;
};

#define SEEK_RANGE ((size_t)2048)

/* Ends the program on failure. */
struct seek_case seek_case_make(enum seek_shape shape, size_t blocks);
void seek_case_free(struct seek_case *seek);

/* Memory, or the end of the program. */
void *seek_allocate(size_t bytes);

#endif
