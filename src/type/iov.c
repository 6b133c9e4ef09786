/* SPDX-License-Identifier: BSD-3-Clause */
/* Listing pieces instead of moving them. */
#include "type/range.h"

/* Pieces that touch are joined, also across levels. */
struct lister {
    struct weft_type_sink sink;
    struct iovec *iov;
    size_t max, used;
    size_t bytes;
};

static bool list_piece(struct weft_type_sink *sink, weft_type_address mem, uint64_t length)
{
    struct lister *lister = (struct lister *)sink;
    struct iovec *last = lister->used ? &lister->iov[lister->used - 1] : NULL;
    if (last && (weft_type_address)last->iov_base + last->iov_len == mem)
        last->iov_len += length;
    else if (lister->used < lister->max)
        lister->iov[lister->used++] = (struct iovec){(void *)mem, length};
    else
        return false;
    lister->bytes += length;
    return true;
}

static bool list_run(struct weft_type_sink *sink, const struct weft_type_run *run)
{
    struct weft_type_stepper step = {.run = run};
    for (struct weft_type_piece piece; weft_type_stepper_next(&step, &piece);)
        if (!list_piece(sink, piece.mem, piece.length))
            return false;
    return true;
}

int weft_iov(const weft_type *type, size_t count, const void *base, size_t offset, size_t length,
             struct iovec *iov, size_t max, size_t *used, size_t *bytes)
{
    int rc = weft_type_range_check(type, count, offset, length);
    if (rc)
        return rc;
    if (!used || !bytes || (max && !iov))
        return WEFT_ERR_ARGUMENT;
    struct lister lister = {.sink = {list_piece, list_run}, .iov = iov, .max = max};
    if (length)
        weft_type_range_walk(type, count, base, offset, length, &lister.sink);
    *used = lister.used;
    *bytes = lister.bytes;
    return WEFT_OK;
}

int weft_locate(const weft_type *type, size_t count, size_t offset, struct weft_place *place)
{
    int rc = weft_type_range_check(type, count, offset, 1);
    if (rc)
        return rc;
    if (!place)
        return WEFT_ERR_ARGUMENT;
    struct weft_type_walk_place found =
        weft_type_walk_locate(type->form.node, weft_type_step(type), offset);
    *place = (struct weft_place){(ptrdiff_t)(type->form.at + found.displacement), found.contiguous,
                                 found.steps};
    return WEFT_OK;
}
