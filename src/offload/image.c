/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/image.h"

#include <stdlib.h>
#include <string.h>

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

/* Of a node, what moving data needs. */
static uint64_t fixed_bytes(const struct weft_type_node *node)
{
    switch (node->kind) {
    case WEFT_TYPE_NODE_BLOCK:
        return WEFT_TYPE_NODE_BLOCK_BYTES;
    case WEFT_TYPE_NODE_LOOP:
        return WEFT_TYPE_NODE_LOOP_BYTES;
    case WEFT_TYPE_NODE_LIST:
        return WEFT_TYPE_NODE_LIST_BYTES;
    default:
        return WEFT_TYPE_NODE_SEQ_BYTES;
    }
}

static uint64_t where_bytes(const struct weft_type_node *node)
{
    return node->to_where ? node->count * (node->wide ? 8 : 4) : 0;
}

static uint64_t end_bytes(const struct weft_type_node *node)
{
    return node->to_ends ? node->count * (node->wide_ends ? 8 : 4) : 0;
}

static uint64_t member_bytes(const struct weft_type_node *node)
{
    return node->to_members ? node->count * sizeof(int64_t) : 0;
}

static uint64_t bucket_bytes(const struct weft_offload_image *image,
                             const struct weft_type_node *node)
{
    if (!node->to_buckets || !image->has_index)
        return 0;
    return (((node->size - 1) >> node->bucket_shift) + 2) * sizeof(uint32_t);
}

static uint64_t node_bytes(const struct weft_offload_image *image,
                           const struct weft_type_node *node)
{
    return fixed_bytes(node) + aligned(where_bytes(node)) + aligned(end_bytes(node)) +
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
    if (node->to_child)
        return place(image, weft_type_node_child(node));
    for (uint64_t i = 0; node->to_members && i < node->count; i++)
        if (!place(image, weft_type_node_member(node, i)))
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

static int64_t distance(const struct weft_offload_image *image, const struct placed *from,
                        const struct weft_type_node *to)
{
    return (int64_t)(image->nodes[*slot_of(image, to) - 1].offset - from->offset);
}

/* Where the lists of a node go, and how far from the node that is. */
struct cursor {
    unsigned char *node;
    uint64_t next;
};

static int64_t copy_array(struct cursor *to, const struct weft_type_node *node, int64_t from,
                          uint64_t bytes)
{
    int64_t place = (int64_t)to->next;
    if (bytes == 0)
        return 0;
    memset(to->node + to->next, 0, aligned(bytes));
    memcpy(to->node + to->next, weft_type_node_at(node, from), bytes);
    to->next += aligned(bytes);
    return place;
}

static int64_t write_members(struct cursor *to, const struct weft_offload_image *image,
                             const struct placed *placed)
{
    int64_t place = (int64_t)to->next;
    int64_t *members = (int64_t *)(to->node + to->next);
    for (uint64_t i = 0; i < placed->node->count; i++)
        members[i] = distance(image, placed, weft_type_node_member(placed->node, i));
    to->next += member_bytes(placed->node);
    return place;
}

static void write_node(const struct weft_offload_image *image, const struct placed *placed,
                       unsigned char *memory)
{
    const struct weft_type_node *node = placed->node;
    struct cursor to = {memory + placed->offset, fixed_bytes(node)};
    struct weft_type_node copy = *node;
    if (node->to_child)
        copy.to_child = distance(image, placed, weft_type_node_child(node));
    copy.to_where = copy_array(&to, node, node->to_where, where_bytes(node));
    copy.to_ends = copy_array(&to, node, node->to_ends, end_bytes(node));
    if (node->to_members)
        copy.to_members = write_members(&to, image, placed);
    copy.to_buckets = copy_array(&to, node, node->to_buckets, bucket_bytes(image, node));
    memcpy(to.node, &copy, fixed_bytes(node));
}

void weft_offload_image_write(const struct weft_offload_image *image, unsigned char *memory)
{
    for (uint64_t i = 0; i < image->count; i++)
        write_node(image, &image->nodes[i], memory);
}
