/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for the distinct nodes of a normal form, children before parents. They follow from the
 * form alone, so equal forms are numbered alike. */
#ifndef WEFT_TYPE_NUMBERING_H
#define WEFT_TYPE_NUMBERING_H

#include "type/node.h"

/* All zero at first. */
struct weft_type_numbering {
    const struct weft_type_node **nodes;
    size_t count, room;
    size_t *slots; /* open addressing: number + 1, or 0 */
    size_t slot_count;
};

/* The node and all below it. False without memory. */
bool weft_type_numbering_add(struct weft_type_numbering *numbering,
                             const struct weft_type_node *node);
void weft_type_numbering_clear(struct weft_type_numbering *numbering);

/* Of a node that was added. */
size_t weft_type_number_of(const struct weft_type_numbering *numbering,
                           const struct weft_type_node *node);

#endif
