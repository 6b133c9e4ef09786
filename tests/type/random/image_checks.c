/* SPDX-License-Identifier: BSD-3-Clause */
/* Images of types for the memory of a NIC: that their bytes are as offload/image.h says, and that
 * the walk finds in a copy of one what the type map says. */
#include <stdlib.h>
#include <string.h>

#include "offload/image.h"
#include "offload/offload.h"
#include "type/random/checks.h"
#include "type/kernel.h"
#include "type/walk.h"

/* ---- The bytes ---------------------------------------------------------------------------- */

static bool follows(int64_t distance, uint64_t bytes, uint64_t *next)
{
    bool does = distance == (int64_t)*next;
    *next += (bytes + 7) / 8 * 8;
    return does;
}

/* Of a node with its lists, which follow it in this order; 0 if they do not. */
static uint64_t bytes_with_lists(const struct weft_type_node *node)
{
    static const uint64_t fixed[] = {32, 56, 80, 88};
    bool is_seq = node->kind == WEFT_TYPE_NODE_SEQ;
    bool has_where = is_seq || node->kind == WEFT_TYPE_NODE_LIST;
    bool has_ends = is_seq || node->varied;
    uint64_t next = fixed[node->kind];
    if (has_where && !follows(node->to_where, node->count * (node->wide ? 8 : 4), &next))
        return 0;
    if (has_ends && !follows(node->to_ends, node->count * (node->wide_ends ? 8 : 4), &next))
        return 0;
    if (is_seq && !follows(node->to_members, node->count * 8, &next))
        return 0;
    uint64_t buckets = ((node->size - 1) >> node->bucket_shift) + 2;
    if (has_ends && node->to_buckets && !follows(node->to_buckets, buckets * 4, &next))
        return 0;
    return next;
}

struct nodes {
    const unsigned char *image;
    uint64_t begin, end;
    bool *starts; /* whether a node starts at 8 times the index */
};

static const struct weft_type_node *node_at(const struct nodes *nodes, uint64_t offset)
{
    return (const struct weft_type_node *)(nodes->image + offset);
}

/* Nodes lie one behind the other. */
static bool find_nodes(struct nodes *nodes)
{
    uint64_t offset = nodes->begin;
    while (offset < nodes->end) {
        uint64_t bytes = bytes_with_lists(node_at(nodes, offset));
        if (bytes == 0)
            return false;
        nodes->starts[offset / 8] = true;
        offset += bytes;
    }
    return offset == nodes->end;
}

/* Whether this leads forward, to a node. */
static bool leads(const struct nodes *nodes, uint64_t from, int64_t distance)
{
    return distance > 0 && distance % 8 == 0 && (uint64_t)distance < nodes->end - from &&
           nodes->starts[(from + (uint64_t)distance) / 8];
}

static bool references_lead(const struct nodes *nodes, uint64_t offset)
{
    const struct weft_type_node *node = node_at(nodes, offset);
    if (node->kind == WEFT_TYPE_NODE_BLOCK)
        return true;
    if (node->kind != WEFT_TYPE_NODE_SEQ)
        return leads(nodes, offset, node->to_child);
    const int64_t *members = weft_type_node_at(node, node->to_members);
    for (uint64_t i = 0; i < node->count; i++)
        if (!leads(nodes, offset, members[i]))
            return false;
    return true;
}

static bool nodes_are_sound(struct nodes *nodes)
{
    nodes->starts = calloc(nodes->end / 8 + 1, sizeof *nodes->starts);
    if (!nodes->starts)
        abort();
    bool sound = find_nodes(nodes);
    for (uint64_t offset = nodes->begin; sound && offset < nodes->end; offset += 8)
        sound = !nodes->starts[offset / 8] || references_lead(nodes, offset);
    free(nodes->starts);
    return sound;
}

static bool image_is_sound(const struct weft_offload_image *image,
                           const struct weft_offload_facts *facts)
{
    struct nodes nodes = {.image = (const unsigned char *)image,
                          .begin = image->root,
                          .end = image->checkpoints ? image->checkpoints : image->bytes};
    return image->magic == WEFT_OFFLOAD_IMAGE_MAGIC &&
           image->version == WEFT_OFFLOAD_IMAGE_VERSION && image->bytes == facts->image_bytes &&
           image->root == sizeof *image && image->size == facts->size &&
           image->low == facts->low - facts->at && image->high == facts->high - facts->at &&
           (image->bytes - nodes.end) / (image->checkpoints ? image->checkpoint_bytes : 1) ==
               facts->interval.checkpoints &&
           nodes_are_sound(&nodes);
}

/* ---- A copy ------------------------------------------------------------------------------- */

static void *filled(size_t bytes, int with)
{
    void *memory = malloc(bytes);
    if (!memory)
        abort();
    return memset(memory, with, bytes);
}

/* A copy of an image that is no longer there; NULL if it depends on where it was written, or on
 * what was there before. */
static struct weft_offload_image *copy_image(const struct weft_offload *offload)
{
    size_t bytes = weft_offload_facts(offload)->image_bytes;
    void *first = filled(bytes, 0), *second = filled(bytes, 0xff), *copy = filled(bytes, 0);
    weft_offload_write_image(offload, first);
    weft_offload_write_image(offload, second);
    bool same = memcmp(first, second, bytes) == 0;
    memcpy(copy, first, bytes);
    free(first);
    free(second);
    if (same)
        return copy;
    free(copy);
    return NULL;
}

static bool range_is_right(struct bench *bench, const struct weft_offload_image *image,
                           weft_type_address mem, size_t offset, size_t length)
{
    unsigned char *packed = filled(length, 0);
    struct weft_type_mover mover = {weft_type_kernels(WEFT_TYPE_GATHER)->mover, (char *)packed};
    weft_type_walk(weft_offload_image_at(image, image->root), mem, offset, length, &mover.sink);
    bool right = memcmp(packed, bench->expected + offset, length) == 0;
    free(packed);
    return right ||
           trial_fail(bench, "image: packed bytes %zu to %zu are wrong", offset, offset + length);
}

static bool copy_is_right(struct bench *bench, const struct weft_offload *offload)
{
    const struct weft_offload_facts *facts = weft_offload_facts(offload);
    weft_type_address mem = weft_type_address_add((weft_type_address)bench->side.base, facts->at);
    struct weft_offload_image *image = copy_image(offload);
    if (!image)
        return trial_fail(bench, "image: it depends on where it was written");
    bool right = image_is_sound(image, facts) || trial_fail(bench, "image: not as described");
    for (int i = 0; i < 8 && right; i++) {
        size_t offset = rng_below(&bench->rng, facts->size);
        size_t length = rng_magnitude(&bench->rng, facts->size - offset);
        right = range_is_right(bench, image, mem, offset, length);
    }
    free(image);
    return right;
}

bool check_image(struct bench *bench)
{
    const struct side *side = &bench->side;
    enum weft_offload_strategy strategy =
        rng_one_in(&bench->rng, 2) ? WEFT_OFFLOAD_SEEK : WEFT_OFFLOAD_RO_CP;
    struct weft_offload_options options = {.type = side->type,
                                           .count = side->count,
                                           .attributes = {.strategy = strategy},
                                           .nic = weft_offload_nic_of_paper(256)};
    struct weft_offload *offload;
    int rc = weft_offload_prepare(&options, &offload);
    if (rc)
        return trial_fail(bench, "weft_offload_prepare: %s", weft_error_name(rc));
    bool right = side->total == 0 || copy_is_right(bench, offload);
    weft_offload_close(offload);
    return right;
}
