/* SPDX-License-Identifier: BSD-3-Clause */
/* The constructors of Weft, as layouts.h wants them. */
#include <stdio.h>
#include <stdlib.h>

#include <weft.h>

#include "bench/layouts/families.h"

static weft_type *type_of(made_type made)
{
    return (weft_type *)made;
}

static made_type finish(int error, weft_type *type)
{
    if (error) {
        fprintf(stderr, "weft bench: cannot build a type: %s\n", weft_error_text(error));
        exit(1);
    }
    return (made_type)type;
}

/* As finish, for types that were made of one other. */
static made_type finish_from(int error, weft_type *type, made_type old)
{
    weft_type_free(type_of(old));
    return finish(error, type);
}

static made_type make_basic(enum element element)
{
    static const enum weft_basic kinds[ELEMENT_COUNT] = {
        [ELEMENT_FLOAT] = WEFT_FLOAT,
        [ELEMENT_DOUBLE] = WEFT_DOUBLE,
        [ELEMENT_DOUBLE_COMPLEX] = WEFT_DOUBLE_COMPLEX,
    };
    return (made_type)weft_basic(kinds[element]);
}

static made_type make_contiguous(size_t count, made_type old)
{
    weft_type *type = NULL;
    int error = weft_type_contiguous(count, type_of(old), &type);
    return finish_from(error, type, old);
}

static made_type make_vector(size_t count, size_t blocklength, size_t stride, made_type old)
{
    weft_type *type = NULL;
    int error = weft_type_vector(count, blocklength, (ptrdiff_t)stride, type_of(old), &type);
    return finish_from(error, type, old);
}

static made_type make_hvector(size_t count, size_t blocklength, size_t stride, made_type old)
{
    weft_type *type = NULL;
    int error = weft_type_hvector(count, blocklength, (ptrdiff_t)stride, type_of(old), &type);
    return finish_from(error, type, old);
}

static made_type make_indexed_block(size_t count, size_t blocklength, const int32_t index[],
                                    made_type old)
{
    ptrdiff_t *displacements = bench_allocate(count * sizeof(*displacements));
    for (size_t i = 0; i < count; i++)
        displacements[i] = index[i];
    weft_type *type = NULL;
    int error = weft_type_indexed_block(count, blocklength, displacements, type_of(old), &type);
    free(displacements);
    return finish_from(error, type, old);
}

static made_type make_indexed(size_t count, const size_t blocklengths[],
                              const ptrdiff_t displacements[], made_type old)
{
    weft_type *type = NULL;
    int error = weft_type_indexed(count, blocklengths, displacements, type_of(old), &type);
    return finish_from(error, type, old);
}

static made_type make_structure(size_t count, const ptrdiff_t displacements[],
                                const made_type types[])
{
    size_t blocklengths[LAYOUT_MAX_PARTS] = {0};
    const weft_type *members[LAYOUT_MAX_PARTS] = {NULL};
    for (size_t i = 0; i < count; i++) {
        blocklengths[i] = 1;
        members[i] = type_of(types[i]);
    }
    weft_type *type = NULL;
    int error = weft_type_struct(count, blocklengths, displacements, members, &type);
    for (size_t i = 0; i < count; i++)
        weft_type_free(type_of(types[i]));
    return finish(error, type);
}

static made_type make_subarray(size_t ndims, const size_t sizes[], const size_t subsizes[],
                               const size_t starts[], made_type old)
{
    weft_type *type = NULL;
    int error =
        weft_type_subarray(ndims, sizes, subsizes, starts, WEFT_ORDER_C, type_of(old), &type);
    return finish_from(error, type, old);
}

static made_type make_resized(made_type old, size_t extent)
{
    weft_type *type = NULL;
    int error = weft_type_resized(type_of(old), 0, (ptrdiff_t)extent, &type);
    return finish_from(error, type, old);
}

static void commit(made_type made)
{
    finish(weft_type_commit(type_of(made)), NULL);
}

static void release(made_type made)
{
    weft_type_free(type_of(made));
}

const struct maker maker_weft = MAKER_OF_THIS_FILE;
