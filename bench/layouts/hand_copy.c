/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/layouts/hand_copy.h"

#include <stdlib.h>

#include "bench/layouts/families.h"
#include "bench/layouts/hand_set.h"

/* ---- Pieces ------------------------------------------------------------------------------- */

static void add(struct hand_pieces *pieces, size_t where, size_t length)
{
    pieces->where[pieces->count] = where;
    pieces->length[pieces->count++] = length;
}

static void add_part(struct hand_pieces *pieces, const struct layout_part *part, size_t at)
{
    at += part->at;
    for (size_t row = 0; row < part->count[1]; row++)
        for (size_t i = 0; i < part->count[0]; i++) {
            if (part->shape == PART_STRIDED)
                add(pieces, at + row * part->stride[1] + i * part->stride[0], part->block);
            else if (part->shape == PART_LISTED)
                add(pieces, at + (size_t)part->index[i] * part->block, part->block);
            else
                add(pieces, at + (size_t)part->where[i], part->start[i + 1] - part->start[i]);
        }
}

static void find_regularity(struct hand_pieces *pieces)
{
    pieces->block = pieces->length[0];
    pieces->stride = pieces->count > 1 ? pieces->where[1] - pieces->where[0] : 0;
    for (size_t i = 1; i < pieces->count; i++) {
        if (pieces->length[i] != pieces->block)
            pieces->block = 0;
        if (pieces->where[i] - pieces->where[i - 1] != pieces->stride)
            pieces->stride = 0;
    }
}

struct hand_pieces hand_pieces_of(const struct layout *layout)
{
    size_t count = layout_pieces(layout);
    struct hand_pieces pieces = {.where = bench_allocate(count * sizeof(size_t)),
                                 .length = bench_allocate(count * sizeof(size_t))};
    for (size_t e = 0; e < layout->count; e++)
        for (size_t i = 0; i < layout->part_count; i++)
            add_part(&pieces, &layout->part[i], e * layout->extent);
    find_regularity(&pieces);
    return pieces;
}

void hand_pieces_free(struct hand_pieces *pieces)
{
    free(pieces->where);
    free(pieces->length);
}

/* ---- Copying ------------------------------------------------------------------------------- */

void hand_copy(char *to, const struct hand_pieces *t, const char *from,
               const struct hand_pieces *f, size_t bytes)
{
    hand_set()->copy(to, t, from, f, bytes);
}
