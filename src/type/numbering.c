/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/numbering.h"

#include <stdlib.h>

static size_t *slot_for(const struct weft_type_numbering *numbering,
                        const struct weft_type_node *node)
{
    size_t i = node->hash & (numbering->slot_count - 1);
    while (numbering->slots[i] && numbering->nodes[numbering->slots[i] - 1] != node)
        i = (i + 1) & (numbering->slot_count - 1);
    return &numbering->slots[i];
}

static bool make_room(struct weft_type_numbering *numbering)
{
    if (numbering->count < numbering->room)
        return true;
    size_t room = numbering->room ? 2 * numbering->room : 16;
    const struct weft_type_node **nodes = realloc(numbering->nodes, room * sizeof(*nodes));
    if (!nodes)
        return false;
    numbering->nodes = nodes;
    size_t *slots = calloc(2 * room, sizeof(*slots));
    if (!slots)
        return false;
    free(numbering->slots);
    numbering->slots = slots;
    numbering->slot_count = 2 * room;
    numbering->room = room;
    for (size_t i = 0; i < numbering->count; i++)
        *slot_for(numbering, nodes[i]) = i + 1;
    return true;
}

bool weft_type_numbering_add(struct weft_type_numbering *numbering,
                             const struct weft_type_node *node)
{
    if (numbering->slot_count && *slot_for(numbering, node))
        return true;
    if (node->to_child && !weft_type_numbering_add(numbering, weft_type_node_child(node)))
        return false;
    for (uint64_t i = 0; node->to_members && i < node->count; i++)
        if (!weft_type_numbering_add(numbering, weft_type_node_member(node, i)))
            return false;
    if (!make_room(numbering))
        return false;
    numbering->nodes[numbering->count++] = node;
    *slot_for(numbering, node) = numbering->count;
    return true;
}

void weft_type_numbering_clear(struct weft_type_numbering *numbering)
{
    free(numbering->nodes);
    free(numbering->slots);
}

size_t weft_type_number_of(const struct weft_type_numbering *numbering,
                           const struct weft_type_node *node)
{
    return *slot_for(numbering, node) - 1;
}
