/* SPDX-License-Identifier: BSD-3-Clause */
/* What an image of a normal form will hold, and where. */
#ifndef WEFT_OFFLOAD_DRAFT_H
#define WEFT_OFFLOAD_DRAFT_H

#include "offload/image.h"

struct weft_offload_draft;

/* NULL without memory. `has_index`: with the index of prefix sums (type/ends.h). */
struct weft_offload_draft *weft_offload_draft_make(const struct weft_type_node *root,
                                                   bool has_index);
void weft_offload_draft_free(struct weft_offload_draft *draft); /* NULL is allowed */

/* Of an image without checkpoints. */
uint64_t weft_offload_draft_bytes(const struct weft_offload_draft *draft);

/* Writes an image without checkpoints, which is no larger than an image may be. */
void weft_offload_draft_write(const struct weft_offload_draft *draft,
                              struct weft_offload_image *image);

#endif
