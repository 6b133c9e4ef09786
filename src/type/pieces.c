/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/pieces.h"

#include "type/walk.h"

struct piece_lister {
    struct weft_type_sink sink;
    struct weft_type_entry *next;
};

static bool list_piece(struct weft_type_sink *sink, weft_type_address mem, uint64_t length)
{
    struct piece_lister *lister = (struct piece_lister *)sink;
    *lister->next++ = (struct weft_type_entry){(int64_t)mem, length};
    return true;
}

static bool list_run(struct weft_type_sink *sink, const struct weft_type_run *run)
{
    struct weft_type_stepper step = {.run = run};
    for (struct weft_type_piece piece; weft_type_stepper_next(&step, &piece);)
        list_piece(sink, piece.mem, piece.length);
    return true;
}

void weft_type_pieces_list(const struct weft_type_node *node, int64_t at,
                           struct weft_type_entry *pieces)
{
    struct piece_lister lister = {.sink = {list_piece, list_run}, .next = pieces};
    weft_type_walk(node, (weft_type_address)at, 0, node->size, &lister.sink);
}
