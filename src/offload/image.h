/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A normal form in the memory of the NIC: the nodes and their lists one after the other, the root
 * first, each node once however many others refer to it. What only the host needs is left out.
 */
#ifndef WEFT_OFFLOAD_IMAGE_H
#define WEFT_OFFLOAD_IMAGE_H

#include "type/node.h"

struct weft_offload_image;

/* NULL without memory. `has_index`: with the index of prefix sums (type/ends.h). */
struct weft_offload_image *weft_offload_image_plan(const struct weft_type_node *root,
                                                   bool has_index);
void weft_offload_image_free(struct weft_offload_image *image); /* NULL is allowed */

uint64_t weft_offload_image_bytes(const struct weft_offload_image *image);

/* `memory` is aligned to 8 bytes. The root is at its beginning. */
void weft_offload_image_write(const struct weft_offload_image *image, unsigned char *memory);

#endif
