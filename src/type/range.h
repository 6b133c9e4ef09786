/* SPDX-License-Identifier: BSD-3-Clause */
/* A byte range of the packed stream of `count` elements, as the calls of weft.h name it. */
#ifndef WEFT_TYPE_RANGE_H
#define WEFT_TYPE_RANGE_H

#include "type/type.h"
#include "type/walk.h"

static inline int weft_type_range_check(const weft_type *type, size_t count, size_t offset,
                                        size_t length)
{
    size_t end, total;
    if (!type)
        return WEFT_ERR_ARGUMENT;
    if (!weft_type_is_committed(type))
        return WEFT_ERR_NOT_COMMITTED;
    if (__builtin_mul_overflow(count, type->size, &total) || total > INT64_MAX)
        total = INT64_MAX; /* offsets beyond have no place in 63 bits */
    return __builtin_add_overflow(offset, length, &end) || end > total ? WEFT_ERR_RANGE : WEFT_OK;
}

/* The range must have been checked and must not be empty. */
static inline bool weft_type_range_walk(const weft_type *type, size_t count, const void *base,
                                        size_t offset, size_t length, struct weft_type_sink *sink)
{
    weft_type_address mem = weft_type_address_add((weft_type_address)base, type->form.at);
    if (count == 1)
        return weft_type_walk(type->form.node, mem, offset, length, sink);
    return weft_type_walk_elements(type->form.node, weft_type_step(type), mem, offset, length,
                                   sink);
}

#endif
