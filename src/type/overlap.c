/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/overlap.h"

#include <stdlib.h>

#include "type/intern.h"
#include "type/pieces.h"
#include "type/spans.h"

/* Beyond this many, listing the pieces would make committing slow. */
#define EXACT_PIECES 65536

static struct weft_type_span piece_span(const struct weft_type_spans *spans, uint64_t i)
{
    const struct weft_type_entry *pieces = spans->of;
    return (struct weft_type_span){pieces[i].at, pieces[i].copies};
}

static bool pieces_overlap(const struct weft_type_node *node)
{
    if (node->pieces > EXACT_PIECES)
        return true;
    struct weft_type_entry *pieces = malloc(node->pieces * sizeof(*pieces));
    if (!pieces)
        return true;
    weft_type_pieces_list(node, 0, pieces);
    bool overlap = weft_type_spans_overlap(
        &(struct weft_type_spans){.nth = piece_span, .of = pieces, .count = node->pieces});
    free(pieces);
    return overlap;
}

struct level {
    uint64_t step, count;
};

static int by_step(const void *a, const void *b)
{
    uint64_t left = ((const struct level *)a)->step, right = ((const struct level *)b)->step;
    return (left > right) - (left < right);
}

/* Nested loops are disjoint if, in the order of their strides, each steps over all that the
 * smaller ones cover; so a transposed array is seen to be disjoint. */
static bool loops_disjoint(const struct weft_type_node *node)
{
    struct level levels[32];
    unsigned depth = 0;
    for (; node->kind == WEFT_TYPE_NODE_LOOP; node = weft_type_node_child(node)) {
        uint64_t step = node->stride < 0 ? -(uint64_t)node->stride : (uint64_t)node->stride;
        levels[depth++] = (struct level){step, node->count};
    }
    if (weft_type_node_may_overlap(node))
        return false;
    qsort(levels, depth, sizeof(*levels), by_step);
    uint64_t cover = (uint64_t)node->high - (uint64_t)node->low;
    for (unsigned i = 0; i < depth; i++) {
        if (levels[i].step < cover)
            return false;
        cover += levels[i].step * (levels[i].count - 1);
    }
    return true;
}

static struct weft_type_span entry_span(const struct weft_type_spans *spans, uint64_t i)
{
    const struct weft_type_node *node = spans->of;
    int64_t at = weft_type_node_where(node, i);
    const struct weft_type_node *child = node->kind == WEFT_TYPE_NODE_SEQ
                                             ? weft_type_node_member(node, i)
                                             : weft_type_node_child(node);
    struct weft_type_span span = {at + child->low, (uint64_t)child->high - (uint64_t)child->low};
    if (node->varied) {
        uint64_t copies = weft_type_node_share(node, i) / child->size;
        int64_t last = (int64_t)(copies - 1) * node->stride;
        span.at += last < 0 ? last : 0;
        span.bytes += last < 0 ? -(uint64_t)last : (uint64_t)last;
    }
    return span;
}

/* The copies within an entry of a varied list must not overlap each other either. */
static bool children_overlap(const struct weft_type_node *node)
{
    for (uint64_t i = 0; node->to_members && i < node->count; i++)
        if (weft_type_node_may_overlap(weft_type_node_member(node, i)))
            return true;
    if (!node->to_child)
        return false;
    const struct weft_type_node *child = weft_type_node_child(node);
    uint64_t step = node->stride < 0 ? -(uint64_t)node->stride : (uint64_t)node->stride;
    return (node->varied && step < (uint64_t)child->high - (uint64_t)child->low) ||
           weft_type_node_may_overlap(child);
}

static struct weft_type_spans entries_of(const struct weft_type_node *node)
{
    struct weft_type_spans spans = {.nth = entry_span, .of = node, .count = node->count};
    if (node->kind == WEFT_TYPE_NODE_LIST && !node->varied && !node->wide) {
        const struct weft_type_node *child = weft_type_node_child(node);
        spans.where = weft_type_node_at(node, node->to_where);
        spans.first =
            (struct weft_type_span){child->low, (uint64_t)child->high - (uint64_t)child->low};
    }
    return spans;
}

static bool entries_disjoint(const struct weft_type_node *node)
{
    const struct weft_type_spans spans = entries_of(node);
    return !children_overlap(node) && !weft_type_spans_overlap(&spans);
}

bool weft_type_overlap_find(const struct weft_type_node *node)
{
    if (node->kind == WEFT_TYPE_NODE_BLOCK)
        return false;
    bool disjoint =
        node->kind == WEFT_TYPE_NODE_LOOP ? loops_disjoint(node) : entries_disjoint(node);
    return !disjoint && pieces_overlap(node);
}
