/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/draft.h"

#include <stdlib.h>
#include <string.h>

#include "type/numbering.h"

struct weft_offload_draft {
    struct weft_type_numbering nodes;
    uint64_t *offsets; /* in the image, by number */
    uint64_t bytes;
    bool has_index;
};

/* ---- How much memory a node takes --------------------------------------------------------- */

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + 7) & ~(uint64_t)7;
}

/* Of a node, what moving data needs. */
static uint64_t fixed_bytes(const struct weft_type_node *node)
{
    static const uint64_t bytes[] = {
        [WEFT_TYPE_NODE_BLOCK] = WEFT_TYPE_NODE_BLOCK_BYTES,
        [WEFT_TYPE_NODE_LOOP] = WEFT_TYPE_NODE_LOOP_BYTES,
        [WEFT_TYPE_NODE_LIST] = WEFT_TYPE_NODE_LIST_BYTES,
        [WEFT_TYPE_NODE_SEQ] = WEFT_TYPE_NODE_SEQ_BYTES,
    };
    return bytes[node->kind];
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

static uint64_t bucket_bytes(const struct weft_offload_draft *draft,
                             const struct weft_type_node *node)
{
    if (!node->to_buckets || !draft->has_index)
        return 0;
    return (((node->size - 1) >> node->bucket_shift) + 2) * sizeof(uint32_t);
}

static uint64_t node_bytes(const struct weft_offload_draft *draft,
                           const struct weft_type_node *node)
{
    return fixed_bytes(node) + aligned(where_bytes(node)) + aligned(end_bytes(node)) +
           member_bytes(node) + aligned(bucket_bytes(draft, node));
}

/* Parents before their children, so that all distances are positive. */
static bool place_nodes(struct weft_offload_draft *draft)
{
    const struct weft_type_numbering *nodes = &draft->nodes;
    draft->offsets = malloc(nodes->count * sizeof *draft->offsets);
    if (!draft->offsets)
        return false;
    draft->bytes = sizeof(struct weft_offload_image);
    for (size_t i = nodes->count; i-- > 0;) {
        draft->offsets[i] = draft->bytes;
        draft->bytes += node_bytes(draft, nodes->nodes[i]);
    }
    return true;
}

struct weft_offload_draft *weft_offload_draft_make(const struct weft_type_node *root,
                                                   bool has_index)
{
    struct weft_offload_draft *draft = calloc(1, sizeof *draft);
    if (!draft)
        return NULL;
    draft->has_index = has_index;
    if (weft_type_numbering_add(&draft->nodes, root) && place_nodes(draft))
        return draft;
    weft_offload_draft_free(draft);
    return NULL;
}

void weft_offload_draft_free(struct weft_offload_draft *draft)
{
    if (!draft)
        return;
    weft_type_numbering_clear(&draft->nodes);
    free(draft->offsets);
    free(draft);
}

uint64_t weft_offload_draft_bytes(const struct weft_offload_draft *draft)
{
    return draft->bytes;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* A node of the image: where it goes, and how far from it the next of its lists. */
struct cursor {
    const struct weft_offload_draft *draft;
    const struct weft_type_node *node;
    uint64_t offset;
    unsigned char *memory;
    uint64_t next;
};

static int64_t distance(const struct cursor *to, const struct weft_type_node *node)
{
    size_t number = weft_type_number_of(&to->draft->nodes, node);
    return (int64_t)(to->draft->offsets[number] - to->offset);
}

static int64_t write_list(struct cursor *to, int64_t from, uint64_t bytes)
{
    if (bytes == 0)
        return 0;
    int64_t place = (int64_t)to->next;
    memset(to->memory + to->next, 0, aligned(bytes));
    memcpy(to->memory + to->next, weft_type_node_at(to->node, from), bytes);
    to->next += aligned(bytes);
    return place;
}

static int64_t write_members(struct cursor *to)
{
    int64_t place = (int64_t)to->next;
    int64_t *members = (int64_t *)(to->memory + to->next);
    for (uint64_t i = 0; i < to->node->count; i++)
        members[i] = distance(to, weft_type_node_member(to->node, i));
    to->next += member_bytes(to->node);
    return place;
}

static void write_node(struct cursor to)
{
    const struct weft_type_node *node = to.node;
    struct weft_type_node copy = *node;
    if (node->to_child)
        copy.to_child = distance(&to, weft_type_node_child(node));
    copy.to_where = write_list(&to, node->to_where, where_bytes(node));
    copy.to_ends = write_list(&to, node->to_ends, end_bytes(node));
    if (node->to_members)
        copy.to_members = write_members(&to);
    copy.to_buckets = write_list(&to, node->to_buckets, bucket_bytes(to.draft, node));
    memcpy(to.memory, &copy, fixed_bytes(node));
}

void weft_offload_draft_write(const struct weft_offload_draft *draft,
                              struct weft_offload_image *image)
{
    const struct weft_type_node *root = draft->nodes.nodes[draft->nodes.count - 1];
    *image = (struct weft_offload_image){.magic = WEFT_OFFLOAD_IMAGE_MAGIC,
                                         .version = WEFT_OFFLOAD_IMAGE_VERSION,
                                         .bytes = (uint32_t)draft->bytes,
                                         .root = sizeof *image,
                                         .size = root->size,
                                         .low = root->low,
                                         .high = root->high};
    for (size_t i = 0; i < draft->nodes.count; i++)
        write_node((struct cursor){.draft = draft,
                                   .node = draft->nodes.nodes[i],
                                   .offset = draft->offsets[i],
                                   .memory = (unsigned char *)image + draft->offsets[i],
                                   .next = fixed_bytes(draft->nodes.nodes[i])});
}
