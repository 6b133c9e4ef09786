/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Subarrays and distributed arrays, dimension by dimension from the one that varies fastest. Each
 * dimension turns the form of a row into the form of a plane; `step` is the size in bytes of one
 * full row, so that the next dimension knows where the following one lies.
 */
#include "type/intern.h"
#include "type/type.h"

/* An array under construction. */
struct array {
    struct weft_type_form form; /* with a reference */
    int64_t step;               /* bytes between neighbours in the next dimension */
};

static struct array begin(const weft_type *old)
{
    return (struct array){{weft_type_node_retain(old->form.node), old->form.at},
                          weft_type_step(old)};
}

/* Puts `form`, whose reference it takes over, in place of the current one, `places` further. */
static int advance(struct array *array, struct weft_type_form form, uint64_t places)
{
    int64_t shift;
    weft_type_node_release(array->form.node);
    array->form = form;
    if (!form.node)
        return WEFT_OK;
    if (places > INT64_MAX || __builtin_mul_overflow((int64_t)places, array->step, &shift) ||
        __builtin_add_overflow(form.at, shift, &array->form.at))
        return WEFT_ERR_OVERFLOW;
    return WEFT_OK;
}

static int widen_step(struct array *array, size_t size)
{
    if (size > INT64_MAX || __builtin_mul_overflow(array->step, (int64_t)size, &array->step))
        return WEFT_ERR_OVERFLOW;
    return WEFT_OK;
}

/* The bounds are those of the whole array. */
static int end(struct array *array, int rc, weft_type **out)
{
    if (!rc)
        return weft_type_make(array->form, 0, array->step, out);
    weft_type_node_release(array->form.node);
    return rc;
}

static size_t dimension(size_t ndims, size_t k, enum weft_order order)
{
    return order == WEFT_ORDER_C ? ndims - 1 - k : k;
}

/* ---- Subarray ----------------------------------------------------------------------------- */

static bool subarray_valid(size_t ndims, const size_t sizes[], const size_t subsizes[],
                           const size_t starts[], enum weft_order order)
{
    if (!ndims || !sizes || !subsizes || !starts ||
        (order != WEFT_ORDER_C && order != WEFT_ORDER_FORTRAN))
        return false;
    for (size_t i = 0; i < ndims; i++)
        if (subsizes[i] > sizes[i] || starts[i] > sizes[i] - subsizes[i])
            return false;
    return true;
}

static int take_part(struct array *array, size_t size, size_t subsize, size_t start)
{
    struct weft_type_form plane;
    int rc = weft_type_form_loop(subsize, array->step, array->form, &plane);
    if (!rc)
        rc = advance(array, plane, start);
    return rc ? rc : widen_step(array, size);
}

int weft_type_subarray(size_t ndims, const size_t sizes[], const size_t subsizes[],
                       const size_t starts[], enum weft_order order, const weft_type *old,
                       weft_type **out)
{
    if (!old || !out || !subarray_valid(ndims, sizes, subsizes, starts, order))
        return WEFT_ERR_ARGUMENT;
    struct array array = begin(old);
    int rc = WEFT_OK;
    for (size_t k = 0; k < ndims && !rc; k++) {
        size_t i = dimension(ndims, k, order);
        rc = take_part(&array, sizes[i], subsizes[i], starts[i]);
    }
    return end(&array, rc, out);
}

/* ---- Distributed array -------------------------------------------------------------------- */

/* What one process owns of one dimension. */
struct share {
    size_t size;  /* of the whole dimension */
    size_t block; /* elements dealt out at a time */
    size_t procs; /* processes in this dimension */
    size_t coord; /* of this process */
};

/* Blocks are dealt out in turn; the last one may be short. */
static int deal(struct array *array, const struct share *share)
{
    uint64_t first, round;
    int64_t stride;
    struct weft_type_form parts[2] = {{NULL, 0}, {NULL, 0}}, block = {NULL, 0}, plane;
    if (__builtin_mul_overflow(share->block, share->coord, &first) ||
        __builtin_mul_overflow(share->block, share->procs, &round) || round > INT64_MAX ||
        __builtin_mul_overflow((int64_t)round, array->step, &stride))
        return WEFT_ERR_OVERFLOW;
    uint64_t beyond = share->size > first ? share->size - first : 0;
    uint64_t whole = beyond / round + (beyond % round >= share->block);
    uint64_t rest = beyond % round < share->block ? beyond % round : 0;
    int rc = weft_type_form_loop(share->block, array->step, array->form, &block);
    if (!rc)
        rc = weft_type_form_loop(whole, stride, block, &parts[0]);
    if (!rc)
        rc = weft_type_form_loop(rest, array->step, array->form, &parts[1]);
    int64_t shift;
    if (!rc && parts[1].node &&
        (__builtin_mul_overflow((int64_t)whole, stride, &shift) ||
         __builtin_add_overflow(parts[1].at, shift, &parts[1].at)))
        rc = WEFT_ERR_OVERFLOW;
    if (!rc)
        rc = weft_type_form_seq(parts, 2, &plane);
    weft_type_node_release(block.node);
    weft_type_node_release(parts[0].node);
    weft_type_node_release(parts[1].node);
    return rc ? rc : advance(array, plane, first);
}

static int find_share(size_t gsize, enum weft_distribution distribution, size_t blocksize,
                      size_t procs, size_t coord, struct share *share)
{
    *share = (struct share){gsize, blocksize, procs, coord};
    bool by_default = blocksize == WEFT_DISTRIBUTE_DEFAULT;
    switch (distribution) {
    case WEFT_DISTRIBUTE_NONE:
        share->block = gsize;
        return procs == 1 ? WEFT_OK : WEFT_ERR_ARGUMENT;
    case WEFT_DISTRIBUTE_BLOCK:
        if (by_default)
            share->block = gsize / procs + (gsize % procs != 0);
        /* MPI demands that one round of blocks covers the dimension. */
        return share->block >= gsize / procs + (gsize % procs != 0) ? WEFT_OK : WEFT_ERR_ARGUMENT;
    case WEFT_DISTRIBUTE_CYCLIC:
        if (by_default)
            share->block = 1;
        return WEFT_OK;
    }
    return WEFT_ERR_ARGUMENT;
}

static bool darray_valid(size_t nprocs, size_t rank, size_t ndims, const size_t gsizes[],
                         const size_t psizes[], enum weft_order order)
{
    size_t product = 1;
    if (!ndims || rank >= nprocs || (order != WEFT_ORDER_C && order != WEFT_ORDER_FORTRAN))
        return false;
    for (size_t i = 0; i < ndims; i++)
        if (!gsizes[i] || !psizes[i] || __builtin_mul_overflow(product, psizes[i], &product))
            return false;
    return product == nprocs;
}

/* Processes are numbered row by row whatever the order of the array: the coordinate of `rank` in
 * dimension i. */
static size_t coordinate(size_t rank, size_t i, size_t ndims, const size_t psizes[])
{
    for (size_t k = ndims - 1; k > i; k--)
        rank /= psizes[k];
    return rank % psizes[i];
}

int weft_type_darray(size_t nprocs, size_t rank, size_t ndims, const size_t gsizes[],
                     const enum weft_distribution distributions[], const size_t blocksizes[],
                     const size_t psizes[], enum weft_order order, const weft_type *old,
                     weft_type **out)
{
    if (!old || !out || !gsizes || !distributions || !blocksizes || !psizes ||
        !darray_valid(nprocs, rank, ndims, gsizes, psizes, order))
        return WEFT_ERR_ARGUMENT;
    struct array array = begin(old);
    int rc = WEFT_OK;
    for (size_t k = 0; k < ndims && !rc; k++) {
        size_t i = dimension(ndims, k, order);
        struct share share;
        rc = find_share(gsizes[i], distributions[i], blocksizes[i], psizes[i],
                        coordinate(rank, i, ndims, psizes), &share);
        if (!rc)
            rc = deal(&array, &share);
        if (!rc)
            rc = widen_step(&array, gsizes[i]);
    }
    return end(&array, rc, out);
}
