/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A normal form in the memory of the NIC. This is how an image begins; then come the nodes with
 * their lists, the root first, each node once however many others refer to it, and of each the
 * fields of its kind (type/node.h). Checkpoints, if there are any, come last.
 *
 * There is no address in an image: nodes refer to others by distance, all else by offsets from the
 * begin of the image. Numbers have the order of the host, the same width everywhere, and are
 * aligned to it. So an image may be copied to any place aligned to 8 bytes, cores of any width
 * read it (they are little-endian, and run on no host that is not), and the same form makes the
 * same bytes.
 */
#ifndef WEFT_OFFLOAD_IMAGE_H
#define WEFT_OFFLOAD_IMAGE_H

#include "type/node.h"

#define WEFT_OFFLOAD_IMAGE_MAGIC 0x49544657u /* "WFTI" */
#define WEFT_OFFLOAD_IMAGE_VERSION 1u
#define WEFT_OFFLOAD_IMAGE_LARGEST UINT32_MAX

struct weft_offload_image {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes; /* of all the image */
    uint32_t root;
    uint32_t checkpoints; /* 0: there are none */
    uint32_t checkpoint_bytes;
    uint64_t size;     /* packed bytes of the form */
    int64_t low, high; /* the bytes it touches, from its first packed byte */
};

_Static_assert(sizeof(struct weft_offload_image) == 48, "layout");
_Static_assert(offsetof(struct weft_offload_image, size) == 24, "layout");

static inline const void *weft_offload_image_at(const struct weft_offload_image *image,
                                                uint32_t offset)
{
    return (const unsigned char *)image + offset;
}

#endif
