/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/image.h"

#include <stdlib.h>
#include <string.h>

/* Of a node, what moving data needs. */
#define NODE_BYTES offsetof(struct weft_type_node, low)

struct placed {
    const struct weft_type_node *node;
    uint64_t offset;
};

struct weft_offload_image {
    struct placed *nodes; /* in the order of the image */
    uint64_t count, room;
    uint64_t *slots; /* open addressing: position in `nodes` + 1, or 0 */
    uint64_t mask;
    uint64_t bytes;
    bool has_index;
};

/* ---- Where nodes are ---------------------------------------------------------------------- */

static uint64_t *slot_of(const struct weft_offload_image *image, const struct weft_type_node *node)
{
    uint64_t i = node->hash & image->mask;
    while (image->slots[i] && image->nodes[image->slots[i] - 1].node != node)
        i = (i + 1) & image->mask;
    return &image->slots[i];
}

static bool grow(struct weft_offload_image *image)
{
    uint64_t room = image->room ? 2 * image->room : 16;
    struct placed *nodes = realloc(image->nodes, room * sizeof *nodes);
    if (!nodes)
        return false;
    image->nodes = nodes;
    image->room = room;
    free(image->slots);
    image->mask = 2 * room - 1;
    image->slots = calloc(2 * room, sizeof *image->slots);
    if (!image->slots)
        return false;
    for (uint64_t i = 0; i < image->count; i++)
        *slot_of(image, nodes[i].node) = i + 1;
    return true;
}

/* ---- How much memory a node takes --------------------------------------------------------- */

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + 7) & ~(uint64_t)7;
}

static uint64_t where_bytes(const struct weft_type_node *node)
{
    return node->where ? node->count * (node->wide ? 8 : 4) : 0;
}

static uint64_t end_bytes(const struct weft_type_node *node)
{
    return node->ends.end ? node->count * (node->ends.wide ? 8 : 4) : 0;
}

static uint64_t member_bytes(const struct weft_type_node *node)
{
    return node->members ? node->count * sizeof(*node->members) : 0;
}

static uint64_t bucket_bytes(const struct weft_offload_image *image,
                             const struct weft_type_node *node)
{
    if (!node->ends.bucket || !image->has_index)
        return 0;
    return (((node->size - 1) >> node->ends.shift) + 2) * sizeof(*node->ends.bucket);
}

static uint64_t node_bytes(const struct weft_offload_image *image,
                           const struct weft_type_node *node)
{
    return NODE_BYTES + aligned(where_bytes(node)) + aligned(end_bytes(node)) +
           member_bytes(node) + aligned(bucket_bytes(image, node));
}

static bool place(struct weft_offload_image *image, const struct weft_type_node *node)
{
    if (image->count == image->room && !grow(image))
        return false;
    uint64_t *slot = slot_of(image, node);
    if (*slot)
        return true;
    image->nodes[image->count++] = (struct placed){node, image->bytes};
    *slot = image->count;
    image->bytes += node_bytes(image, node);
    if (node->child)
        return place(image, node->child);
    for (uint64_t i = 0; node->members && i < node->count; i++)
        if (!place(image, node->members[i]))
            return false;
    return true;
}

struct weft_offload_image *weft_offload_image_plan(const struct weft_type_node *root,
                                                   bool has_index)
{
    struct weft_offload_image *image = calloc(1, sizeof *image);
    if (!image)
        return NULL;
    image->has_index = has_index;
    if (place(image, root))
        return image;
    weft_offload_image_free(image);
    return NULL;
}

void weft_offload_image_free(struct weft_offload_image *image)
{
    if (!image)
        return;
    free(image->nodes);
    free(image->slots);
    free(image);
}

uint64_t weft_offload_image_bytes(const struct weft_offload_image *image)
{
    return image->bytes;
}

/* ---- Writing ------------------------------------------------------------------------------ */

static const struct weft_type_node *address_of(const struct weft_offload_image *image,
                                               const struct weft_type_node *node,
                                               unsigned char *memory)
{
    return (const struct weft_type_node *)(memory +
                                           image->nodes[*slot_of(image, node) - 1].offset);
}

static const void *copy_array(unsigned char **next, const void *from, uint64_t bytes)
{
    unsigned char *to = *next;
    memcpy(to, from, bytes);
    *next += aligned(bytes);
    return to;
}

static void write_node(const struct weft_offload_image *image, const struct placed *placed,
                       unsigned char *memory)
{
    const struct weft_type_node *node = placed->node;
    unsigned char *start = memory + placed->offset, *next = start + NODE_BYTES;
    struct weft_type_node copy = *node;
    if (node->child)
        copy.child = address_of(image, node->child, memory);
    if (node->where)
        copy.where = copy_array(&next, node->where, where_bytes(node));
    if (node->ends.end)
        copy.ends.end = copy_array(&next, node->ends.end, end_bytes(node));
    if (node->members) {
        const struct weft_type_node **members = (const struct weft_type_node **)next;
        for (uint64_t i = 0; i < node->count; i++)
            members[i] = address_of(image, node->members[i], memory);
        copy.members = members;
        next += member_bytes(node);
    }
    uint64_t buckets = bucket_bytes(image, node);
    copy.ends.bucket = buckets ? copy_array(&next, node->ends.bucket, buckets) : NULL;
    memcpy(start, &copy, NODE_BYTES);
}

void weft_offload_image_write(const struct weft_offload_image *image, unsigned char *memory)
{
    for (uint64_t i = 0; i < image->count; i++)
        write_node(image, &image->nodes[i], memory);
}
