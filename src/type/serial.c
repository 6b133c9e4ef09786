/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A type as bytes for a peer. Numbers are variable-length (seven bits a byte, low ones first;
 * signed ones zigzag), displacements are differences, so that an index list takes two or three
 * bytes an entry.
 *
 *   "WEFT", version, displacement, lower bound, upper bound, number of nodes, then the nodes,
 *   children before parents, the root last:
 *   block    size
 *   loop     count, stride, child
 *   list     count, child, displacements
 *   varied   count, child, stride, displacements, copies
 *   seq      count, displacements, members
 *
 * A child is the number of an earlier node, so shared nodes travel once. The reader trusts
 * nothing: it builds through form.c, which checks every sum and product, and never allocates more
 * than a small multiple of the bytes it was given. A seq of seqs would: form.c makes one of them,
 * and each that names the one before twice would double it. No type is written so, and what
 * becomes one all the same may not have more members, all in all, than there were bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "type/intern.h"
#include "type/numbering.h"
#include "type/type.h"

static const char magic[4] = {'W', 'E', 'F', 'T'};

#define VERSION 1

enum tag { TAG_BLOCK, TAG_LOOP, TAG_LIST, TAG_VARIED, TAG_SEQ, TAG_COUNT };

/* ---- Writing ------------------------------------------------------------------------------ */

struct output {
    unsigned char *bytes; /* with room for all; NULL: only the length is wanted */
    size_t length;
};

static void put_byte(struct output *to, unsigned char byte)
{
    if (to->bytes)
        to->bytes[to->length] = byte;
    to->length++;
}

static size_t length_of(uint64_t value)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
    return (bits + 6) / 7;
}

static void put(struct output *to, uint64_t value)
{
    if (!to->bytes) { /* lists are long, and their length is asked for first */
        to->length += length_of(value);
        return;
    }
    for (; value >= 128; value >>= 7)
        put_byte(to, (unsigned char)(value | 128));
    put_byte(to, (unsigned char)value);
}

static void put_signed(struct output *to, int64_t value)
{
    put(to, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static void put_where(struct output *to, const struct weft_type_node *node)
{
    uint64_t before = 0;
    for (uint64_t i = 0; i < node->count; i++) {
        uint64_t place = (uint64_t)weft_type_node_where(node, i);
        put_signed(to, (int64_t)(place - before));
        before = place;
    }
}

static enum tag tag_of(const struct weft_type_node *node)
{
    switch (node->kind) {
    case WEFT_TYPE_NODE_BLOCK:
        return TAG_BLOCK;
    case WEFT_TYPE_NODE_LOOP:
        return TAG_LOOP;
    case WEFT_TYPE_NODE_LIST:
        return node->varied ? TAG_VARIED : TAG_LIST;
    default:
        return TAG_SEQ;
    }
}

static void put_node(struct output *to, const struct weft_type_numbering *numbering,
                     const struct weft_type_node *node)
{
    enum tag tag = tag_of(node);
    put(to, tag);
    put(to, tag == TAG_BLOCK ? node->size : node->count);
    if (node->to_child)
        put(to, weft_type_number_of(numbering, weft_type_node_child(node)));
    if (tag == TAG_LOOP || tag == TAG_VARIED)
        put_signed(to, node->stride);
    if (node->to_where)
        put_where(to, node);
    for (uint64_t i = 0; tag == TAG_VARIED && i < node->count; i++)
        put(to, weft_type_node_share(node, i) / weft_type_node_child(node)->size);
    for (uint64_t i = 0; node->to_members && i < node->count; i++)
        put(to, weft_type_number_of(numbering, weft_type_node_member(node, i)));
}

static void put_type(struct output *to, const struct weft_type_numbering *numbering,
                     const weft_type *type)
{
    for (size_t i = 0; i < sizeof(magic); i++)
        put_byte(to, (unsigned char)magic[i]);
    put(to, VERSION);
    put_signed(to, type->form.at);
    put_signed(to, type->lb);
    put_signed(to, type->ub);
    put(to, numbering->count);
    for (size_t i = 0; i < numbering->count; i++)
        put_node(to, numbering, numbering->nodes[i]);
}

ptrdiff_t weft_type_serialize(const weft_type *type, void *bytes, size_t size)
{
    if (!type || (size && !bytes))
        return WEFT_ERR_ARGUMENT;
    struct weft_type_numbering numbering = {0};
    bool complete = !type->form.node || weft_type_numbering_add(&numbering, type->form.node);
    struct output length = {NULL, 0};
    put_type(&length, &numbering, type);
    if (complete && length.length <= size) {
        struct output to = {bytes, 0};
        put_type(&to, &numbering, type);
    }
    weft_type_numbering_clear(&numbering);
    return complete ? (ptrdiff_t)length.length : WEFT_ERR_MEMORY;
}

/* ---- Reading ------------------------------------------------------------------------------ */

struct input {
    const unsigned char *bytes;
    size_t left;
    size_t members_left; /* of all seqs together */
    bool bad;
};

static uint64_t get(struct input *from)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && from->left && !from->bad; shift += 7) {
        unsigned char byte = *from->bytes++;
        from->left--;
        value |= (uint64_t)(byte & 127) << shift;
        /* The tenth byte has room for one bit only. */
        if (byte < 128 && (shift < 63 || byte <= 1))
            return value;
    }
    from->bad = true;
    return 0;
}

static int64_t get_signed(struct input *from)
{
    uint64_t value = get(from);
    return (int64_t)((value >> 1) ^ -(value & 1));
}

/* The nodes read so far, as forms. */
struct forms {
    struct weft_type_form *of;
    size_t count;
};

static struct weft_type_form get_child(struct input *from, const struct forms *forms)
{
    uint64_t number = get(from);
    if (number < forms->count)
        return forms->of[number];
    from->bad = true;
    return (struct weft_type_form){NULL, 0};
}

static void get_member(struct input *from, const struct forms *forms, struct weft_type_form *out)
{
    *out = get_child(from, forms);
    bool is_seq = out->node && out->node->kind == WEFT_TYPE_NODE_SEQ;
    uint64_t members = is_seq ? out->node->count : 1;
    if (members > from->members_left)
        from->bad = true;
    else
        from->members_left -= members;
}

/* Displacements into entries, each with one copy. */
static void get_where(struct input *from, struct weft_type_entry *entries, uint64_t count)
{
    uint64_t place = 0;
    for (uint64_t i = 0; i < count; i++) {
        place += (uint64_t)get_signed(from);
        entries[i] = (struct weft_type_entry){(int64_t)place, 1};
    }
}

static int get_list(struct input *from, const struct forms *forms, bool varied, uint64_t count,
                    struct weft_type_entry *entries, struct weft_type_form *out)
{
    struct weft_type_form child = get_child(from, forms);
    int64_t stride = varied ? get_signed(from) : 0;
    get_where(from, entries, count);
    for (uint64_t i = 0; varied && i < count; i++)
        entries[i].copies = get(from);
    return from->bad ? WEFT_ERR_FORMAT : weft_type_form_list(entries, count, child, stride, out);
}

static int get_seq(struct input *from, const struct forms *forms, uint64_t count,
                   struct weft_type_entry *entries, struct weft_type_form *out)
{
    get_where(from, entries, count);
    struct weft_type_form *members = calloc(count, sizeof(*members));
    if (!members)
        return WEFT_ERR_MEMORY;
    int rc = WEFT_OK;
    for (uint64_t i = 0; i < count; i++) {
        get_member(from, forms, &members[i]);
        if (__builtin_add_overflow(members[i].at, entries[i].at, &members[i].at))
            rc = WEFT_ERR_OVERFLOW;
    }
    if (from->bad)
        rc = WEFT_ERR_FORMAT;
    if (!rc)
        rc = weft_type_form_seq(members, count, out);
    free(members);
    return rc;
}

static int get_irregular(struct input *from, const struct forms *forms, enum tag tag,
                         uint64_t count, struct weft_type_form *out)
{
    if (count == 0 || count > from->left) /* an entry takes a byte at least */
        return WEFT_ERR_FORMAT;
    struct weft_type_entry *entries = calloc(count, sizeof(*entries));
    if (!entries)
        return WEFT_ERR_MEMORY;
    int rc = tag == TAG_SEQ ? get_seq(from, forms, count, entries, out)
                            : get_list(from, forms, tag == TAG_VARIED, count, entries, out);
    free(entries);
    return rc;
}

static int get_node(struct input *from, const struct forms *forms, struct weft_type_form *out)
{
    uint64_t tag = get(from), count = get(from);
    if (from->bad || tag >= TAG_COUNT)
        return WEFT_ERR_FORMAT;
    if (tag == TAG_BLOCK)
        return weft_type_form_block(count, out);
    if (tag != TAG_LOOP)
        return get_irregular(from, forms, (enum tag)tag, count, out);
    struct weft_type_form child = get_child(from, forms);
    int64_t stride = get_signed(from);
    return from->bad ? WEFT_ERR_FORMAT : weft_type_form_loop(count, stride, child, out);
}

static int get_nodes(struct input *from, struct forms *forms, uint64_t count)
{
    if (count > from->left)
        return WEFT_ERR_FORMAT;
    forms->of = calloc(count ? count : 1, sizeof(*forms->of));
    int rc = forms->of ? WEFT_OK : WEFT_ERR_MEMORY;
    while (forms->count < count && !rc) {
        rc = get_node(from, forms, &forms->of[forms->count]);
        if (!rc)
            forms->count++;
    }
    return rc;
}

static int get_type(struct input *from, struct forms *forms, weft_type **out)
{
    int64_t at = get_signed(from), lb = get_signed(from), ub = get_signed(from);
    uint64_t count = get(from);
    int rc = from->bad ? WEFT_ERR_FORMAT : get_nodes(from, forms, count);
    if (rc)
        return rc;
    struct weft_type_form root = {NULL, 0};
    if (forms->count)
        root = forms->of[forms->count - 1];
    if (from->left)
        return WEFT_ERR_FORMAT;
    if (root.node && __builtin_add_overflow(root.at, at, &root.at))
        return WEFT_ERR_OVERFLOW;
    weft_type_node_retain(root.node);
    return weft_type_make(root, lb, ub, out);
}

int weft_type_deserialize(const void *bytes, size_t size, weft_type **out)
{
    if (!bytes || !out)
        return WEFT_ERR_ARGUMENT;
    if (size < sizeof(magic) || memcmp(bytes, magic, sizeof(magic)) != 0)
        return WEFT_ERR_FORMAT;
    struct input from = {.bytes = (const unsigned char *)bytes + sizeof(magic),
                         .left = size - sizeof(magic),
                         .members_left = size};
    uint64_t version = get(&from);
    if (from.bad || version == 0)
        return WEFT_ERR_FORMAT;
    if (version > VERSION)
        return WEFT_ERR_VERSION;
    struct forms forms = {0};
    int rc = get_type(&from, &forms, out);
    for (size_t i = 0; i < forms.count; i++)
        weft_type_node_release(forms.of[i].node);
    free(forms.of);
    return rc;
}
