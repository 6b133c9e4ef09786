/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts of `weft bench ddt`: a name of `weft bench type`, or a type in the text notation. */
#ifndef WEFT_BENCH_DDT_DDT_LAYOUT_H
#define WEFT_BENCH_DDT_DDT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <weft.h>

struct ddt_layout {
    weft_type *type; /* committed */
    size_t count;
    size_t bytes;  /* packed */
    size_t window; /* bytes of memory that it spans, and */
    size_t origin; /* where in them its base is */
    size_t pieces; /* contiguous ones, as the normal form has them */
};

/* A layout of about `target` packed bytes; false, having said why, if the text is none. */
bool ddt_layout_open(const char *text, size_t target, struct ddt_layout *layout);
void ddt_layout_close(struct ddt_layout *layout);

#endif
