/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop that a good programmer writes to copy one layout straight into another. */
#ifndef WEFT_BENCH_LAYOUTS_HAND_COPY_H
#define WEFT_BENCH_LAYOUTS_HAND_COPY_H

#include "bench/layouts/layouts.h"

/* All pieces of a layout, in packed order. */
struct hand_pieces {
    size_t count;
    size_t block;  /* bytes of each, or 0 if they differ */
    size_t stride; /* from one to the next, or 0 if that differs */
    size_t *where;
    size_t *length;
};

/* To be freed by hand_pieces_free. */
struct hand_pieces hand_pieces_of(const struct layout *layout);
void hand_pieces_free(struct hand_pieces *pieces);

/* The first `bytes` of the packed stream. */
void hand_copy(char *to, const struct hand_pieces *to_pieces, const char *from,
               const struct hand_pieces *from_pieces, size_t bytes);

#endif
