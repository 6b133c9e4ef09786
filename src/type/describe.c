/* SPDX-License-Identifier: BSD-3-Clause */
/* A normal form for people, one level a line. */
#include <inttypes.h>

#include "type/kernel.h"
#include "type/type.h"
#include "type/writer.h"

/* Of long lists the beginning says enough. */
#define SHOWN 8

static void describe(struct weft_type_writer *to, const struct weft_type_node *node, int indent);

static void indent_by(struct weft_type_writer *to, int indent)
{
    weft_type_write(to, "%*s", 2 * indent, "");
}

static void describe_where(struct weft_type_writer *to, const struct weft_type_node *node)
{
    for (uint64_t i = 0; i < node->count && i < SHOWN; i++) {
        weft_type_write(to, "%s%" PRId64, i ? ", " : "", weft_type_node_where(node, i));
        if (weft_type_node_is_varied_bytes(node))
            weft_type_write(to, "+%" PRIu64, weft_type_node_share(node, i));
    }
    weft_type_write(to, "%s\n", node->count > SHOWN ? ", ..." : "");
}

static void describe_list(struct weft_type_writer *to, const struct weft_type_node *list,
                          int indent)
{
    weft_type_write(to, "list of %" PRIu64 " at ", list->count);
    describe_where(to, list);
    if (weft_type_node_is_varied_bytes(list))
        return;
    if (list->varied) {
        indent_by(to, indent + 1);
        weft_type_write(to, "each several, %" PRId64 " apart, of\n", list->stride);
    }
    describe(to, weft_type_node_child(list), indent + 1);
}

static void describe_seq(struct weft_type_writer *to, const struct weft_type_node *seq, int indent)
{
    weft_type_write(to, "seq of %" PRIu64 " at ", seq->count);
    describe_where(to, seq);
    for (uint64_t i = 0; i < seq->count && i < SHOWN && !weft_type_writer_full(to); i++)
        describe(to, weft_type_node_member(seq, i), indent + 1);
    if (seq->count > SHOWN) {
        indent_by(to, indent + 1);
        weft_type_write(to, "... %" PRIu64 " more\n", seq->count - SHOWN);
    }
}

static void describe(struct weft_type_writer *to, const struct weft_type_node *node, int indent)
{
    indent_by(to, indent);
    switch (node->kind) {
    case WEFT_TYPE_NODE_BLOCK:
        weft_type_write(to, "block of %" PRIu64 " B\n", node->size);
        break;
    case WEFT_TYPE_NODE_LOOP:
        weft_type_write(to, "loop of %" PRIu64 ", %" PRId64 " apart\n", node->count, node->stride);
        describe(to, weft_type_node_child(node), indent + 1);
        break;
    case WEFT_TYPE_NODE_LIST:
        describe_list(to, node, indent);
        break;
    default:
        describe_seq(to, node, indent);
    }
}

ptrdiff_t weft_type_describe(const weft_type *type, char *text, size_t size)
{
    if (!type || (size && !text))
        return WEFT_ERR_ARGUMENT;
    struct weft_type_writer to = {text, size, 0};
    if (!type->form.node) {
        weft_type_write(&to, "nothing\n");
        return (ptrdiff_t)to.length;
    }
    if (type->form.at)
        weft_type_write(&to, "at %" PRId64 ":\n", type->form.at);
    describe(&to, type->form.node, type->form.at != 0);
    return weft_type_writer_full(&to) ? WEFT_ERR_MEMORY : (ptrdiff_t)to.length;
}
