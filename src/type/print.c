/* SPDX-License-Identifier: BSD-3-Clause */
/* A normal form in the notation that parse.c reads. */
#include <inttypes.h>

#include "type/type.h"
#include "type/writer.h"

static void print_node(struct weft_type_writer *to, const struct weft_type_node *node);

static void print_where(struct weft_type_writer *to, const struct weft_type_node *node)
{
    weft_type_write(to, "[");
    for (uint64_t i = 0; i < node->count && !weft_type_writer_full(to); i++)
        weft_type_write(to, "%s%" PRId64, i ? ", " : "", weft_type_node_where(node, i));
    weft_type_write(to, "]");
}

static void print_varied(struct weft_type_writer *to, const struct weft_type_node *list)
{
    weft_type_write(to, "hindexed([");
    for (uint64_t i = 0; i < list->count && !weft_type_writer_full(to); i++) {
        uint64_t copies = weft_type_node_share(list, i) / weft_type_node_child(list)->size;
        weft_type_write(to, "%s%" PRIu64, i ? ", " : "", copies);
    }
    weft_type_write(to, "], ");
    print_where(to, list);
    if (weft_type_node_is_varied_bytes(list)) {
        weft_type_write(to, ", byte)");
    } else {
        weft_type_write(to, ", resized(0, %" PRId64 ", ", list->stride);
        print_node(to, weft_type_node_child(list));
        weft_type_write(to, "))");
    }
}

static void print_seq(struct weft_type_writer *to, const struct weft_type_node *seq)
{
    weft_type_write(to, "struct(");
    for (uint64_t i = 0; i < seq->count && !weft_type_writer_full(to); i++) {
        weft_type_write(to, "%s1 ", i ? ", " : "");
        print_node(to, weft_type_node_member(seq, i));
        weft_type_write(to, " @ %" PRId64, weft_type_node_where(seq, i));
    }
    weft_type_write(to, ")");
}

static void print_node(struct weft_type_writer *to, const struct weft_type_node *node)
{
    switch (node->kind) {
    case WEFT_TYPE_NODE_BLOCK:
        weft_type_write(to, "bytes(%" PRIu64 ")", node->size);
        break;
    case WEFT_TYPE_NODE_LOOP:
        weft_type_write(to, "hvector(%" PRIu64 ", 1, %" PRId64 ", ", node->count, node->stride);
        print_node(to, weft_type_node_child(node));
        weft_type_write(to, ")");
        break;
    case WEFT_TYPE_NODE_LIST:
        if (node->varied) {
            print_varied(to, node);
            break;
        }
        weft_type_write(to, "hindexed_block(1, ");
        print_where(to, node);
        weft_type_write(to, ", ");
        print_node(to, weft_type_node_child(node));
        weft_type_write(to, ")");
        break;
    default:
        print_seq(to, node);
    }
}

static void print_form(struct weft_type_writer *to, struct weft_type_form form)
{
    if (!form.node) {
        weft_type_write(to, "bytes(0)");
    } else if (form.at) {
        weft_type_write(to, "hindexed_block(1, [%" PRId64 "], ", form.at);
        print_node(to, form.node);
        weft_type_write(to, ")");
    } else {
        print_node(to, form.node);
    }
}

ptrdiff_t weft_type_print(const weft_type *type, char *text, size_t size)
{
    if (!type || (size && !text))
        return WEFT_ERR_ARGUMENT;
    struct weft_type_writer to = {text, size, 0};
    bool contiguous = type->form.node && type->form.node->kind == WEFT_TYPE_NODE_BLOCK &&
                      !type->form.at && !type->lb && type->ub == (int64_t)type->form.node->size;
    if (!contiguous)
        weft_type_write(&to, "resized(%" PRId64 ", %" PRId64 ", ", type->lb, weft_type_step(type));
    print_form(&to, type->form);
    if (!contiguous)
        weft_type_write(&to, ")");
    return weft_type_writer_full(&to) ? WEFT_ERR_MEMORY : (ptrdiff_t)to.length;
}
