/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "type/intern.h"
#include "type/kernel.h"
#include "type/type.h"

size_t weft_type_size(const weft_type *type)
{
    return type ? type->size : 0;
}

ptrdiff_t weft_type_extent(const weft_type *type)
{
    return type ? weft_type_step(type) : 0;
}

bool weft_type_equal(const weft_type *a, const weft_type *b)
{
    if (!a || !b)
        return a == b;
    /* Equal nodes are the same node. */
    return a->form.node == b->form.node && (!a->form.node || a->form.at == b->form.at) &&
           a->lb == b->lb && a->ub == b->ub;
}

static const char *kernel_of(const struct weft_type_node *node)
{
    if (!node)
        return "none";
    while (node->kind != WEFT_TYPE_NODE_BLOCK) {
        if (weft_type_node_is_varied_bytes(node))
            return "varied";
        node = node->kind == WEFT_TYPE_NODE_SEQ ? weft_type_node_member(node, 0)
                                                : weft_type_node_child(node);
    }
    return weft_type_kernel_name(node->kernel);
}

static void fill(const weft_type *type, struct weft_type_info *info)
{
    const struct weft_type_node *node = type->form.node;
    uint64_t hash = weft_hash_mix((uint64_t)type->lb, (uint64_t)type->ub);
    *info = (struct weft_type_info){
        .size = type->size,
        .lb = type->lb,
        .extent = weft_type_step(type),
        .committed = weft_type_is_committed(type),
        .contiguous = !node,
        .hash = hash,
        .priority = type->priority,
        .kernel = kernel_of(node),
    };
    if (!node)
        return;
    info->true_lb = type->form.at + node->low;
    info->true_extent = node->high - node->low;
    info->pieces = node->pieces;
    info->memory = weft_type_node_memory(node);
    info->depth = node->depth;
    info->contiguous = node->kind == WEFT_TYPE_NODE_BLOCK && node->size == (uint64_t)info->extent;
    info->may_overlap = weft_type_is_committed(type) && weft_type_node_may_overlap(node);
    info->hash = weft_hash_mix(weft_hash_mix(hash, (uint64_t)type->form.at), node->hash);
}

int weft_type_query(const weft_type *type, struct weft_type_info *info, size_t info_size)
{
    if (!type || !info)
        return WEFT_ERR_ARGUMENT;
    struct weft_type_info full;
    fill(type, &full);
    memcpy(info, &full, info_size < sizeof(full) ? info_size : sizeof(full));
    return WEFT_OK;
}
