/* SPDX-License-Identifier: BSD-3-Clause */
/* What a weft_type is: a normal form, and the bounds that say where the next element begins. */
#ifndef WEFT_TYPE_TYPE_H
#define WEFT_TYPE_TYPE_H

#include <stdatomic.h>

#include <weft.h>

#include "type/form.h"

struct weft_type {
    struct weft_type_form form;
    uint64_t size; /* of the form, 0 if it has no bytes */
    int64_t lb, ub;
    unsigned priority;
    bool basic;            /* one of the immortal ones */
    atomic_bool committed; /* several threads may commit one type */
};

/* ub - lb; the constructors have seen to it that this does not overflow. */
static inline int64_t weft_type_step(const struct weft_type *type)
{
    return type->ub - type->lb;
}

static inline bool weft_type_is_committed(const struct weft_type *type)
{
    return atomic_load_explicit(&((struct weft_type *)type)->committed, memory_order_acquire);
}

/* Makes a type of a form, taking over the form's reference, also on failure. */
int weft_type_make(struct weft_type_form form, int64_t lb, int64_t ub, struct weft_type **out);

#endif
