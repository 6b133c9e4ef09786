/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the benchmark moves: layouts of real programs and of the microbenchmarks, each as a list of
 * parts for the hand-written loops and as a recipe for a datatype.
 */
#ifndef WEFT_BENCH_LAYOUTS_LAYOUTS_H
#define WEFT_BENCH_LAYOUTS_LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum part_shape { PART_STRIDED, PART_LISTED, PART_VARIED };

/* The pieces of memory of one array, in packed order. */
struct layout_part {
    enum part_shape shape;
    size_t at;              /* displacement of the part */
    size_t bytes;           /* packed */
    size_t block;           /* strided, listed: bytes of a piece */
    size_t count[2];        /* strided: inner, outer; otherwise count[0] pieces */
    size_t stride[2];       /* strided: inner, outer */
    const int32_t *index;   /* listed: piece i is at index[i] * block */
    const ptrdiff_t *where; /* varied: piece i is at where[i] */
    const size_t *start;    /* varied: and holds packed bytes start[i] to start[i + 1] */
};

#define LAYOUT_MAX_PARTS 9

struct layout_entry;

/* A layout at a size: `count` elements, `extent` bytes apart, the first at window + origin. */
struct layout {
    const struct layout_entry *entry;
    size_t count;
    size_t size; /* packed bytes of one element */
    size_t extent;
    size_t origin;
    size_t part_count;
    struct layout_part part[LAYOUT_MAX_PARTS];
    void *owned[2]; /* the lists of the parts */
    size_t owned_count;
    size_t parameter; /* what a family derived from the target size */
};

/* A datatype of Weft or of an MPI. */
typedef uintptr_t made_type;

enum element { ELEMENT_FLOAT, ELEMENT_DOUBLE, ELEMENT_DOUBLE_COMPLEX, ELEMENT_COUNT };

/* One side's constructors, with the meaning that MPI gives them. Each consumes the types that it
 * is given. They end the program if they fail. */
struct maker {
    made_type (*basic)(enum element element);
    made_type (*contiguous)(size_t count, made_type old);
    made_type (*vector)(size_t count, size_t blocklength, size_t stride, made_type old);
    made_type (*hvector)(size_t count, size_t blocklength, size_t stride, made_type old);
    made_type (*indexed_block)(size_t count, size_t blocklength, const int32_t index[],
                               made_type old);
    made_type (*indexed)(size_t count, const size_t blocklengths[],
                         const ptrdiff_t displacements[], made_type old);
    made_type (*structure)(size_t count, const ptrdiff_t displacements[], const made_type types[]);
    made_type (*subarray)(size_t ndims, const size_t sizes[], const size_t subsizes[],
                          const size_t starts[], made_type old);
    made_type (*resized)(made_type old, size_t extent);
    void (*commit)(made_type type);
    void (*release)(made_type type);
};

/* A maker of the functions that the file has under these names. */
#define MAKER_OF_THIS_FILE                                                                        \
    {                                                                                             \
        .basic = make_basic, .contiguous = make_contiguous, .vector = make_vector,                \
        .hvector = make_hvector, .indexed_block = make_indexed_block, .indexed = make_indexed,    \
        .structure = make_structure, .subarray = make_subarray, .resized = make_resized,          \
        .commit = commit, .release = release                                                      \
    }

size_t layout_entry_count(void);
const char *layout_entry_name(size_t i);

/* Also of the halos of cubes, which are not counted; NULL if there is none of that name. */
const struct layout_entry *layout_entry_find(const char *name);

/* Whether it can be built at any size, rather than reach a size by repeating elements. */
bool layout_entry_is_parametric(const struct layout_entry *entry);

/* A layout of about `target` packed bytes. To be freed by layout_clear. */
void layout_build(const struct layout_entry *entry, size_t target, struct layout *layout);
void layout_clear(struct layout *layout);

/* One element of the layout, committed. */
made_type layout_make(const struct layout *layout, const struct maker *maker);

size_t layout_bytes(const struct layout *layout);  /* packed, all elements */
size_t layout_window(const struct layout *layout); /* memory that they span */
size_t layout_pieces(const struct layout *layout); /* contiguous pieces, as the program has them */

extern const struct maker maker_weft;
#ifdef WEFT_BENCH_MPI
extern const struct maker maker_mpi;
#endif

#endif
