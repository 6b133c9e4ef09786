/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building normal forms. A form is a node and where its first packed byte lies; no node means no
 * bytes at all. Each builder applies the rules of normalisation, so a form built from normal
 * forms is normal. The packed order is part of the meaning and is never permuted.
 */
#ifndef WEFT_TYPE_FORM_H
#define WEFT_TYPE_FORM_H

#include "base/private.h"
#include "type/node.h"

struct weft_type_form {
    const struct weft_type_node *node; /* a reference is held by whoever holds the form */
    int64_t at;
};

/* `copies` of a unit, at displacement `at`. */
struct weft_type_entry {
    int64_t at;
    uint64_t copies;
};

/* All return a weft_error and a form with a reference for the caller; they borrow what they are
 * given. The arrays are scratch to them and are changed. */
int weft_type_form_block(uint64_t size, struct weft_type_form *out);
WEFT_PRIVATE int weft_type_form_loop(uint64_t count, int64_t stride, struct weft_type_form child,
                                     struct weft_type_form *out);
int weft_type_form_list(struct weft_type_entry *entries, uint64_t count,
                        struct weft_type_form unit, int64_t stride, struct weft_type_form *out);
int weft_type_form_seq(const struct weft_type_form *members, uint64_t count,
                       struct weft_type_form *out);

#endif
