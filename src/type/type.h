/* SPDX-License-Identifier: BSD-3-Clause */
/* What a weft_type is: a normal form, and the bounds that say where the next element begins. */
#ifndef WEFT_TYPE_TYPE_H
#define WEFT_TYPE_TYPE_H

#include <weft.h>

#include "type/form.h"

struct weft_type {
    struct weft_form form;
    int64_t lb, ub;
    bool basic; /* one of the immortal ones */
    bool committed;
};

static inline uint64_t weft_type_bytes(const struct weft_type *type)
{
    return type->form.node ? type->form.node->size : 0;
}

/* ub - lb; the constructors have seen to it that this does not overflow. */
static inline int64_t weft_type_step(const struct weft_type *type)
{
    return type->ub - type->lb;
}

/* Makes a type of a form, taking over the form's reference, also on failure. */
int weft_type_make(struct weft_form form, int64_t lb, int64_t ub, struct weft_type **out);

#endif
