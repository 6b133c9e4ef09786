/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/form.h"

#include <stdlib.h>

#include <weft.h>

#include "base/array.h"
#include "type/affine.h"
#include "type/intern.h"
#include "type/pieces.h"

/* A member of a seq with no more pieces than this is dissolved into blocks: its own node and its
 * place in the seq would take more memory than 16 bytes for each of them. */
#define DISSOLVE_PIECES 10

/* An entry of a list with no more pieces than this is dissolved too: a run of its own for so few
 * would cost more time than copying them. */
#define DISSOLVE_ENTRY_PIECES 4

/* Of entries that are not joined from blocks, but cut into blocks of one length. */
#define CUT 0

static int build_entries(const struct weft_type_entry *entries, uint64_t count, uint64_t joined,
                         const struct weft_type_node *unit, int64_t stride,
                         struct weft_type_form *out);

static int intern_form(const struct weft_type_node_draft *draft, int64_t at,
                       struct weft_type_form *out)
{
    const struct weft_type_node *node;
    int rc = weft_type_node_intern(draft, &node);
    if (!rc)
        *out = (struct weft_type_form){node, at};
    return rc;
}

int weft_type_form_block(uint64_t size, struct weft_type_form *out)
{
    if (size == 0) {
        *out = (struct weft_type_form){NULL, 0};
        return WEFT_OK;
    }
    struct weft_type_node_draft draft = {.kind = WEFT_TYPE_NODE_BLOCK, .size = size};
    return intern_form(&draft, 0, out);
}

/* ---- Loops -------------------------------------------------------------------------------- */

/* True if copies of `node`, `stride` apart, continue the node's own loop or block. */
static bool continues(const struct weft_type_node *node, int64_t stride)
{
    int64_t span;
    if (node->kind == WEFT_TYPE_NODE_BLOCK)
        return stride == (int64_t)node->size;
    return node->kind == WEFT_TYPE_NODE_LOOP &&
           !__builtin_mul_overflow((int64_t)node->count, node->stride, &span) && stride == span;
}

int weft_type_form_loop(uint64_t count, int64_t stride, struct weft_type_form child,
                        struct weft_type_form *out)
{
    if (count == 0 || !child.node) {
        *out = (struct weft_type_form){NULL, 0};
        return WEFT_OK;
    }
    if (count == 1) {
        *out = (struct weft_type_form){weft_type_node_retain(child.node), child.at};
        return WEFT_OK;
    }
    struct weft_type_node_draft draft = {
        .kind = WEFT_TYPE_NODE_LOOP, .count = count, .stride = stride, .child = child.node};
    if (__builtin_mul_overflow(child.node->size, count, &draft.size))
        return WEFT_ERR_OVERFLOW;
    if (continues(child.node, stride)) {
        if (child.node->kind == WEFT_TYPE_NODE_BLOCK) {
            draft =
                (struct weft_type_node_draft){.kind = WEFT_TYPE_NODE_BLOCK, .size = draft.size};
        } else {
            draft.count *= child.node->count; /* at most size: no overflow */
            draft.stride = child.node->stride;
            draft.child = weft_type_node_child(child.node);
        }
    }
    return intern_form(&draft, child.at, out);
}

/* ---- Lists -------------------------------------------------------------------------------- */

static bool is_byte(const struct weft_type_node *unit, int64_t stride)
{
    return unit->size == 1 && stride == 1;
}

static bool scale_copies(struct weft_type_entry *entries, uint64_t count, uint64_t factor)
{
    for (uint64_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(entries[i].copies, factor, &entries[i].copies))
            return false;
    return true;
}

static bool all_single(const struct weft_type_entry *entries, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (entries[i].copies > 1)
            return false;
    return true;
}

/* Makes the unit of a list as small as it can be: bytes, if the entries are contiguous. Between
 * single copies the stride says nothing, so a block's is taken to continue it. */
static int shrink_unit(struct weft_type_entry *entries, uint64_t count,
                       struct weft_type_form *unit, int64_t *stride)
{
    if (unit->node->kind == WEFT_TYPE_NODE_BLOCK && all_single(entries, count))
        *stride = (int64_t)unit->node->size;
    while (unit->node->kind == WEFT_TYPE_NODE_LOOP && continues(unit->node, *stride)) {
        if (!scale_copies(entries, count, unit->node->count))
            return WEFT_ERR_OVERFLOW;
        const struct weft_type_node *loop = unit->node;
        *stride = loop->stride;
        unit->node = weft_type_node_retain(weft_type_node_child(loop));
        weft_type_node_release(loop);
    }
    if (unit->node->kind == WEFT_TYPE_NODE_BLOCK && continues(unit->node, *stride)) {
        if (!scale_copies(entries, count, unit->node->size))
            return WEFT_ERR_OVERFLOW;
        struct weft_type_form byte;
        int rc = weft_type_form_block(1, &byte);
        if (rc)
            return rc;
        weft_type_node_release(unit->node);
        unit->node = byte.node;
        *stride = 1;
    }
    return WEFT_OK;
}

/* Drops empty entries, shifts the others to where the unit begins, and joins blocks of bytes that
 * touch. Other units are not joined: whether they touch would depend on an extent that the normal
 * form does not keep. */
static int tidy(struct weft_type_entry *entries, uint64_t *count, int64_t shift, bool join)
{
    struct weft_type_entry last = {.copies = 0};
    uint64_t kept = 0;
    for (uint64_t i = 0; i < *count; i++) {
        struct weft_type_entry entry = entries[i];
        if (entry.copies == 0)
            continue;
        if (entry.copies > INT64_MAX || __builtin_add_overflow(entry.at, shift, &entry.at))
            return WEFT_ERR_OVERFLOW;
        bool continues_last =
            join && kept && (uint64_t)last.at + last.copies == (uint64_t)entry.at;
        if (!continues_last) {
            last = entry;
            kept++;
        } else if (__builtin_add_overflow(last.copies, entry.copies, &last.copies)) {
            return WEFT_ERR_OVERFLOW;
        }
        if (shift || kept - 1 < i)
            entries[kept - 1] = last;
    }
    *count = kept;
    return WEFT_OK;
}

/* Where the entries of a node are, and where each ends in the packed data. */
struct places {
    int64_t *where;
    uint64_t *end;
};

static int open_places(struct places *places, uint64_t count, bool has_ends)
{
    places->where = malloc(count * sizeof(*places->where));
    places->end = has_ends ? malloc(count * sizeof(*places->end)) : NULL;
    return places->where && (places->end || !has_ends) ? WEFT_OK : WEFT_ERR_MEMORY;
}

static void close_places(struct places *places)
{
    free(places->where);
    free(places->end);
}

static int intern_list(const struct weft_type_entry *entries, uint64_t count, bool varied,
                       const struct weft_type_node *child, int64_t stride,
                       struct weft_type_form *out)
{
    struct places places;
    int rc = open_places(&places, count, varied);
    uint64_t size = 0;
    for (uint64_t i = 0; i < count && !rc; i++) {
        uint64_t share;
        if (__builtin_sub_overflow(entries[i].at, entries[0].at, &places.where[i]) ||
            __builtin_mul_overflow(varied ? entries[i].copies : 1, child->size, &share) ||
            __builtin_add_overflow(size, share, &size))
            rc = WEFT_ERR_OVERFLOW;
        else if (varied)
            places.end[i] = size;
    }
    if (!rc) {
        struct weft_type_node_draft draft = {.kind = WEFT_TYPE_NODE_LIST,
                                             .size = size,
                                             .count = count,
                                             .stride = varied ? stride : 0,
                                             .child = child,
                                             .where = places.where,
                                             .end = places.end};
        rc = intern_form(&draft, entries[0].at, out);
    }
    close_places(&places);
    return rc;
}

static int list_of_bytes(struct weft_type_entry *pieces, uint64_t count,
                         struct weft_type_form *out)
{
    struct weft_type_form byte;
    int rc = weft_type_form_block(1, &byte);
    if (rc)
        return rc;
    rc = weft_type_form_list(pieces, count, byte, 1, out);
    weft_type_node_release(byte.node);
    return rc;
}

/* A list of children of few pieces, as a list of those pieces. */
static int dissolve_entries(const struct weft_type_entry *entries, uint64_t count,
                            const struct weft_type_node *child, struct weft_type_form *out)
{
    struct weft_type_entry *pieces = calloc(count, child->pieces * sizeof(*pieces));
    if (!pieces)
        return WEFT_ERR_MEMORY;
    for (uint64_t i = 0; i < count; i++)
        weft_type_pieces_list(child, entries[i].at, &pieces[i * child->pieces]);
    int rc = list_of_bytes(pieces, count * child->pieces, out);
    free(pieces);
    return rc;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Fewer bytes at a time, or fewer entries, are not worth moving alike; nor are entries that are
 * long as they are. Measured: a piece of its own length costs as much as 128 bytes, or as 16
 * pieces of equal length. */
#define EVEN_BYTES 4
#define EVEN_ENTRIES 16
#define EVEN_LONGEST 128
#define EVEN_PIECES 16

/*
 * Blocks of few different lengths, such as an index list in which neighbours were joined: pieces
 * all of one length are copied without a branch on it, faster than fewer pieces of different
 * lengths. Returns that length, or 0 if it does not pay, or if the pieces would take more than 16
 * bytes for each of the blocks that the entries were joined from, `joined` to an entry.
 */
static uint64_t even_length(const struct weft_type_entry *entries, uint64_t count, uint64_t joined)
{
    uint64_t length = 0, total = 0;
    bool wide = false;
    if (count < EVEN_ENTRIES)
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        int64_t place = (int64_t)((uint64_t)entries[i].at - (uint64_t)entries[0].at);
        wide = wide || place != (int32_t)place;
        length = greatest_divisor(entries[i].copies, length);
        if (length < EVEN_BYTES || __builtin_add_overflow(total, entries[i].copies, &total))
            return 0;
    }
    uint64_t pieces = total / length;
    return total / count <= EVEN_LONGEST && pieces / count <= EVEN_PIECES &&
                   pieces / count < joined * (wide ? 2 : 4)
               ? length
               : 0;
}

static int build_evened(const struct weft_type_entry *entries, uint64_t count, uint64_t length,
                        struct weft_type_form *out)
{
    uint64_t pieces = 0;
    for (uint64_t i = 0; i < count; i++)
        pieces += entries[i].copies / length;
    struct weft_type_entry *even = malloc(pieces * sizeof(*even));
    struct weft_type_form block;
    if (!even)
        return WEFT_ERR_MEMORY;
    int rc = weft_type_form_block(length, &block);
    if (!rc) {
        uint64_t next = 0;
        for (uint64_t i = 0; i < count; i++)
            for (uint64_t done = 0; done < entries[i].copies; done += length)
                even[next++] = (struct weft_type_entry){entries[i].at + (int64_t)done, 1};
        rc = build_entries(even, pieces, CUT, block.node, 0, out);
        weft_type_node_release(block.node);
    }
    free(even);
    return rc;
}

/* What was cut may repeat, or have segments, where it had none before. A part of it may be better
 * off uncut, and is made as if it were alone: as it is when the type is written and read again. */
static int build_uncut(const struct weft_type_entry *entries, uint64_t count, uint64_t length,
                       struct weft_type_form *out)
{
    struct weft_type_entry *pieces = malloc(count * sizeof(*pieces));
    if (!pieces)
        return WEFT_ERR_MEMORY;
    for (uint64_t i = 0; i < count; i++)
        pieces[i] = (struct weft_type_entry){entries[i].at, length};
    int rc = list_of_bytes(pieces, count, out);
    free(pieces);
    return rc;
}

static int build_part(const struct weft_type_entry *entries, uint64_t count, uint64_t joined,
                      const struct weft_type_node *unit, int64_t stride,
                      struct weft_type_form *out)
{
    return joined == CUT ? build_uncut(entries, count, unit->size, out)
                         : build_entries(entries, count, joined, unit, stride, out);
}

/* Segments of constant stride become loops, what lies between them stays lists. */
static int build_segments(const struct weft_type_entry *entries, uint64_t count, uint64_t joined,
                          const struct weft_type_node *unit, int64_t stride,
                          struct weft_type_form *out)
{
    uint64_t segments = weft_type_affine_segments(entries, count, NULL);
    uint64_t *starts = malloc((segments + 1) * sizeof(*starts));
    struct weft_type_form *members = calloc(segments, sizeof(*members));
    int rc = starts && members ? WEFT_OK : WEFT_ERR_MEMORY;
    if (!rc) {
        weft_type_affine_segments(entries, count, starts);
        starts[segments] = count;
    }
    for (uint64_t i = 0; i < segments && !rc; i++)
        rc = build_part(&entries[starts[i]], starts[i + 1] - starts[i], joined, unit, stride,
                        &members[i]);
    if (!rc)
        rc = weft_type_form_seq(members, segments, out);
    for (uint64_t i = 0; members && i < segments; i++)
        weft_type_node_release(members[i].node);
    free(members);
    free(starts);
    return rc;
}

/* All entries have as many copies: one child for all. */
static int build_even(const struct weft_type_entry *entries, uint64_t count,
                      const struct weft_type_node *unit, int64_t stride,
                      struct weft_type_form *out)
{
    struct weft_type_form child;
    int rc =
        weft_type_form_loop(entries[0].copies, stride, (struct weft_type_form){unit, 0}, &child);
    if (rc)
        return rc;
    int64_t step;
    if (weft_type_affine_step(entries, count, &step)) {
        child.at = entries[0].at;
        rc = weft_type_form_loop(count, step, child, out);
    } else if (child.node->pieces > 1 && child.node->pieces <= DISSOLVE_ENTRY_PIECES) {
        rc = dissolve_entries(entries, count, child.node, out);
    } else {
        rc = intern_list(entries, count, false, child.node, 0, out);
    }
    weft_type_node_release(child.node);
    return rc;
}

/* Tidy entries of a unit as small as can be; each was joined from about `joined` blocks. */
static int build_entries(const struct weft_type_entry *entries, uint64_t count, uint64_t joined,
                         const struct weft_type_node *unit, int64_t stride,
                         struct weft_type_form *out)
{
    bool even = weft_type_affine_even(entries, count);
    int64_t step;
    if (even && weft_type_affine_step(entries, count, &step))
        return build_even(entries, count, unit, stride, out);
    uint64_t period;
    int rc = weft_type_affine_period(entries, count, &period, &step);
    if (rc)
        return rc;
    if (period < count) {
        struct weft_type_form once;
        rc = build_part(entries, period, joined, unit, stride, &once);
        if (!rc) {
            rc = weft_type_form_loop(count / period, step, once, out);
            weft_type_node_release(once.node);
        }
        return rc;
    }
    if (weft_type_affine_segments(entries, count, NULL) > 1)
        return build_segments(entries, count, joined, unit, stride, out);
    if (even)
        return build_even(entries, count, unit, stride, out);
    uint64_t length = is_byte(unit, stride) ? even_length(entries, count, joined) : 0;
    if (length)
        return build_evened(entries, count, length, out);
    return intern_list(entries, count, true, unit, stride, out);
}

int weft_type_form_list(struct weft_type_entry *entries, uint64_t count,
                        struct weft_type_form unit, int64_t stride, struct weft_type_form *out)
{
    *out = (struct weft_type_form){NULL, 0};
    if (!unit.node)
        return WEFT_OK;
    uint64_t described = count;
    weft_type_node_retain(unit.node);
    int rc = shrink_unit(entries, count, &unit, &stride);
    if (!rc)
        rc = tidy(entries, &count, unit.at, is_byte(unit.node, stride));
    if (!rc && count)
        rc = build_entries(entries, count, described / count, unit.node, stride, out);
    weft_type_node_release(unit.node);
    return rc;
}

/* ---- Sequences ---------------------------------------------------------------------------- */

/* The members of a seq under construction; small ones gather as loose pieces until a large one,
 * or the end, turns them into a list. */
struct seq_builder {
    struct weft_type_form *members;
    size_t count, room;
    struct weft_type_entry *loose;
    uint64_t loose_count;
};

static int seq_push(struct seq_builder *seq, struct weft_type_form form)
{
    if (!weft_array_reserve(&seq->members, seq->count, &seq->room, sizeof(*seq->members)))
        return WEFT_ERR_MEMORY;
    seq->members[seq->count++] =
        (struct weft_type_form){weft_type_node_retain(form.node), form.at};
    return WEFT_OK;
}

static int member_of(struct weft_type_form seq, uint64_t i, struct weft_type_form *out)
{
    *out = (struct weft_type_form){weft_type_node_member(seq.node, i), 0};
    return __builtin_add_overflow(seq.at, weft_type_node_where(seq.node, i), &out->at)
               ? WEFT_ERR_OVERFLOW
               : WEFT_OK;
}

/* The list of what is loose; it may itself have come out as a seq. */
static int seq_close_loose(struct seq_builder *seq)
{
    if (!seq->loose_count)
        return WEFT_OK;
    struct weft_type_form list, member;
    int rc = list_of_bytes(seq->loose, seq->loose_count, &list);
    if (rc)
        return rc;
    seq->loose_count = 0;
    if (list.node->kind != WEFT_TYPE_NODE_SEQ)
        rc = seq_push(seq, list);
    else
        for (uint64_t i = 0; i < list.node->count && !rc; i++) {
            rc = member_of(list, i, &member);
            if (!rc)
                rc = seq_push(seq, member);
        }
    weft_type_node_release(list.node);
    return rc;
}

static bool is_loose(const struct weft_type_node *node)
{
    return node->pieces <= DISSOLVE_PIECES;
}

static int seq_add_one(struct seq_builder *seq, struct weft_type_form member)
{
    if (is_loose(member.node)) {
        weft_type_pieces_list(member.node, member.at, &seq->loose[seq->loose_count]);
        seq->loose_count += member.node->pieces;
        return WEFT_OK;
    }
    int rc = seq_close_loose(seq);
    return rc ? rc : seq_push(seq, member);
}

/* A seq within a seq is the seq of both their members. */
static int seq_add(struct seq_builder *seq, struct weft_type_form form)
{
    if (!form.node)
        return WEFT_OK;
    if (form.node->kind != WEFT_TYPE_NODE_SEQ)
        return seq_add_one(seq, form);
    struct weft_type_form member;
    int rc = WEFT_OK;
    for (uint64_t i = 0; i < form.node->count && !rc; i++) {
        rc = member_of(form, i, &member);
        if (!rc)
            rc = seq_add_one(seq, member);
    }
    return rc;
}

static uint64_t loose_pieces(const struct weft_type_node *node)
{
    if (node->kind != WEFT_TYPE_NODE_SEQ)
        return is_loose(node) ? node->pieces : 0;
    uint64_t pieces = 0;
    for (uint64_t i = 0; i < node->count; i++)
        pieces += loose_pieces(weft_type_node_member(node, i));
    return pieces;
}

static int intern_seq(const struct weft_type_form *members, uint64_t count,
                      struct weft_type_form *out)
{
    struct places places;
    int rc = open_places(&places, count, true);
    const struct weft_type_node **nodes = malloc(count * sizeof(*nodes));
    if (!nodes)
        rc = WEFT_ERR_MEMORY;
    uint64_t size = 0;
    for (uint64_t i = 0; i < count && !rc; i++) {
        nodes[i] = members[i].node;
        if (__builtin_sub_overflow(members[i].at, members[0].at, &places.where[i]) ||
            __builtin_add_overflow(size, nodes[i]->size, &size))
            rc = WEFT_ERR_OVERFLOW;
        else
            places.end[i] = size;
    }
    if (!rc) {
        struct weft_type_node_draft draft = {.kind = WEFT_TYPE_NODE_SEQ,
                                             .size = size,
                                             .count = count,
                                             .where = places.where,
                                             .end = places.end,
                                             .members = nodes};
        rc = intern_form(&draft, members[0].at, out);
    }
    close_places(&places);
    free(nodes);
    return rc;
}

/* Members that are all the same node are a list of it. */
static int build_list_of_members(const struct seq_builder *seq, struct weft_type_form *out)
{
    struct weft_type_entry *entries = malloc(seq->count * sizeof(*entries));
    if (!entries)
        return WEFT_ERR_MEMORY;
    for (uint64_t i = 0; i < seq->count; i++)
        entries[i] = (struct weft_type_entry){seq->members[i].at, 1};
    struct weft_type_form unit = {seq->members[0].node, 0};
    int rc = weft_type_form_list(entries, seq->count, unit, 0, out);
    free(entries);
    return rc;
}

static int seq_finish(const struct seq_builder *seq, struct weft_type_form *out)
{
    bool same = true;
    for (uint64_t i = 1; i < seq->count; i++)
        same = same && seq->members[i].node == seq->members[0].node;
    return same ? build_list_of_members(seq, out) : intern_seq(seq->members, seq->count, out);
}

/* There is at most one member that has bytes. */
static int only_member(const struct weft_type_form *members, uint64_t count,
                       struct weft_type_form *out)
{
    *out = (struct weft_type_form){NULL, 0};
    for (uint64_t i = 0; i < count; i++)
        if (members[i].node)
            *out = (struct weft_type_form){weft_type_node_retain(members[i].node), members[i].at};
    return WEFT_OK;
}

int weft_type_form_seq(const struct weft_type_form *members, uint64_t count,
                       struct weft_type_form *out)
{
    struct seq_builder seq = {0};
    uint64_t loose = 0, present = 0;
    for (uint64_t i = 0; i < count; i++) {
        present += members[i].node != NULL;
        loose += members[i].node ? loose_pieces(members[i].node) : 0;
    }
    if (present <= 1)
        return only_member(members, count, out);
    seq.loose = malloc((loose + 1) * sizeof(*seq.loose));
    int rc = seq.loose ? WEFT_OK : WEFT_ERR_MEMORY;
    for (uint64_t i = 0; i < count && !rc; i++)
        rc = seq_add(&seq, members[i]);
    if (!rc)
        rc = seq_close_loose(&seq);
    if (!rc)
        rc = seq_finish(&seq, out);
    for (uint64_t i = 0; i < seq.count; i++)
        weft_type_node_release(seq.members[i].node);
    free(seq.members);
    free(seq.loose);
    return rc;
}
