/* SPDX-License-Identifier: BSD-3-Clause */
/* One side of a transfer: elements of a type in memory, and what the model says of them. */
#ifndef WEFT_TESTS_SIDE_H
#define WEFT_TESTS_SIDE_H

#include "support/model.h"
#include "support/rng.h"
#include "support/typemap.h"
#include "support/window.h"

struct side {
    const struct model *model;
    const struct typemap *map;
    weft_type *type;
    size_t count;
    size_t total;    /* packed bytes */
    int64_t *places; /* of each packed byte */
    int64_t low, high;
    bool overlaps;
    bool small; /* all of its memory is compared, else only what surrounds the pieces */
    struct window *window;
    char *base;
};

/* A window of this size holds one element of any generated type. */
#define SIDE_WINDOW ((size_t)1 << 37)

/* Lays out `count` elements, or fewer if they do not fit the window, which must not be in use.
 * A weft_error if the type cannot be built; side_close is due in any case. */
int side_open(struct side *side, const struct model *model, size_t count,
              struct window *window, bool at_end);
void side_close(struct side *side);

/* Gives every byte of memory that belongs to the type a value; those of a small side that do not
 * belong to it get one too. */
void side_fill(struct side *side);

/* What packing memory as side_fill left it must give; no byte is 0. */
void side_expect_packed(const struct side *side, unsigned char *packed);

/* Other packed bytes, to be unpacked; no byte is 0. */
void side_make_packed(unsigned char *packed, size_t length);

/* Prepares memory for side_was_unpacked. */
void side_blank(struct side *side);

/* Whether memory is as unpacking these first `length` bytes, none of them 0, leaves it, and
 * nothing else was written. If not, *wrong is a displacement that differs. The type must not
 * overlap. Memory has to be blanked afterwards. */
bool side_was_unpacked(struct side *side, const unsigned char *packed, size_t length,
                       int64_t *wrong);

#endif
