/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TYPE_SPANS_H
#define WEFT_TYPE_SPANS_H

#include <stdbool.h>
#include <stdint.h>

/* Stretches of at least one byte, in any order. */
struct weft_type_span {
    int64_t at;
    uint64_t bytes;
};

struct weft_type_spans {
    struct weft_type_span (*nth)(const struct weft_type_spans *spans, uint64_t i);
    const void *of; /* whatever nth needs */
    uint64_t count;
    /* Instead of nth, as most long lists are: as many bytes each, so far from `first`. */
    const int32_t *where;
    struct weft_type_span first;
};

/* Whether two of them share a byte, in linear time. Without memory the answer is yes, too. */
bool weft_type_spans_overlap(const struct weft_type_spans *spans);

#endif
