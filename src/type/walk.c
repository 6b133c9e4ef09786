/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A range of a level is a partial first child, some whole children and a partial last child. The
 * partial ones are walked level by level; the whole ones become runs, which a kernel copies
 * without coming back here.
 */
#include "type/walk.h"

#include "base/inline.h"

/* Kept out of line, so that weft_type_walk is but a jump to one of them. */
#define LEVEL static __attribute__((noinline)) bool

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool walk_whole(const struct weft_type_node *node, weft_type_address mem,
                       struct weft_type_sink *sink);

/*
 * The three shapes of run. Only the fields that a shape has are set: a range of a packet is often
 * a single run, and filling in the others would be a good part of its cost.
 */

/* Entries [first, first + count) of a list whose entries are blocks, in each of `rows` rows. */
static bool run_listed(const struct weft_type_node *list, uint64_t first, uint64_t count,
                       weft_type_address mem, uint64_t rows, int64_t row_stride,
                       struct weft_type_sink *sink)
{
    size_t width = list->wide ? sizeof(int64_t) : sizeof(int32_t);
    const struct weft_type_node *block = weft_type_node_child(list);
    struct weft_type_run run;
    run.shape = WEFT_TYPE_RUN_LISTED;
    run.kernel = block->kernel;
    run.wide_where = list->wide;
    run.far = list->far;
    run.mem = mem;
    run.block = block->size;
    run.count = count;
    run.rows = rows;
    run.row_stride = row_stride;
    run.where = weft_type_node_at(list, list->to_where + (int64_t)(first * width));
    run.row_bytes = count * block->size;
    return sink->run(sink, &run);
}

/* `bytes` bytes from the start of entry `first` of a list of blocks of varied length. */
static bool run_varied(const struct weft_type_node *list, uint64_t first, uint64_t bytes,
                       weft_type_address mem, uint64_t rows, int64_t row_stride,
                       struct weft_type_sink *sink)
{
    size_t width = list->wide ? sizeof(int64_t) : sizeof(int32_t);
    const struct weft_type_ends ends = weft_type_node_ends(list);
    size_t end_width = ends.wide ? sizeof(uint64_t) : sizeof(uint32_t);
    struct weft_type_run run;
    run.shape = WEFT_TYPE_RUN_VARIED;
    run.wide_where = list->wide;
    run.wide_end = ends.wide;
    run.mem = mem;
    run.block = 0;
    run.rows = rows;
    run.row_stride = row_stride;
    run.where = weft_type_node_at(list, list->to_where + (int64_t)(first * width));
    run.end = (const char *)ends.end + first * end_width;
    run.start = weft_type_ends_start(&ends, first);
    run.row_bytes = bytes;
    return sink->run(sink, &run);
}

static inline bool run_strided(const struct weft_type_node *block, uint64_t count, int64_t stride,
                               weft_type_address mem, uint64_t rows, int64_t row_stride,
                               struct weft_type_sink *sink)
{
    struct weft_type_run run;
    run.shape = WEFT_TYPE_RUN_STRIDED;
    run.kernel = block->kernel;
    run.mem = mem;
    run.block = block->size;
    run.count = count;
    run.stride = stride;
    run.rows = rows;
    run.row_stride = row_stride;
    run.row_bytes = count * block->size;
    return sink->run(sink, &run);
}

/* Whether copies of a loop, `stride` apart, are but more turns of it. Addresses wrap, and so may
 * this. */
static bool continues_loop(const struct weft_type_node *node, int64_t stride)
{
    return node->kind == WEFT_TYPE_NODE_LOOP &&
           node->count * (uint64_t)node->stride == (uint64_t)stride;
}

/* `count` whole copies of a node, `stride` apart: one run if the node has at most one more level
 * above its blocks, or two that are one. */
static bool walk_copies(const struct weft_type_node *node, uint64_t count, int64_t stride,
                        weft_type_address mem, struct weft_type_sink *sink)
{
    if (node->kind == WEFT_TYPE_NODE_BLOCK)
        return run_strided(node, count, stride, mem, 1, 0, sink);
    if (node->kind == WEFT_TYPE_NODE_LOOP && weft_type_node_is_bytes(weft_type_node_child(node)))
        return run_strided(weft_type_node_child(node), node->count, node->stride, mem, count,
                           stride, sink);
    if (weft_type_node_is_varied_bytes(node))
        return run_varied(node, 0, node->size, mem, count, stride, sink);
    if (node->kind == WEFT_TYPE_NODE_LIST && !node->varied &&
        weft_type_node_is_bytes(weft_type_node_child(node)))
        return run_listed(node, 0, node->count, mem, count, stride, sink);
    if (continues_loop(node, stride))
        return walk_copies(weft_type_node_child(node), count * node->count, node->stride, mem,
                           sink);
    for (uint64_t i = 0; i < count; i++)
        if (!walk_whole(node, weft_type_address_add(mem, (int64_t)i * stride), sink))
            return false;
    return true;
}

/* Whole entries [first, first + count) of a list. */
static bool walk_entries(const struct weft_type_node *list, uint64_t first, uint64_t count,
                         weft_type_address mem, struct weft_type_sink *sink)
{
    const struct weft_type_node *child = weft_type_node_child(list);
    if (weft_type_node_is_bytes(child) && !list->varied)
        return run_listed(list, first, count, mem, 1, 0, sink);
    for (uint64_t i = first; i < first + count; i++) {
        weft_type_address entry = weft_type_address_add(mem, weft_type_node_where(list, i));
        uint64_t copies = 1;
        if (list->varied)
            copies = weft_divisor_divide(weft_type_node_share(list, i), child->by_size);
        if (!walk_copies(child, copies, list->stride, entry, sink))
            return false;
    }
    return true;
}

static bool walk_whole(const struct weft_type_node *node, weft_type_address mem,
                       struct weft_type_sink *sink)
{
    switch (node->kind) {
    case WEFT_TYPE_NODE_BLOCK:
        return sink->piece(sink, mem, node->size);
    case WEFT_TYPE_NODE_LOOP:
        return walk_copies(weft_type_node_child(node), node->count, node->stride, mem, sink);
    case WEFT_TYPE_NODE_LIST:
        if (weft_type_node_is_varied_bytes(node))
            return run_varied(node, 0, node->size, mem, 1, 0, sink);
        return walk_entries(node, 0, node->count, mem, sink);
    default:
        for (uint64_t i = 0; i < node->count; i++)
            if (!walk_whole(weft_type_node_member(node, i),
                            weft_type_address_add(mem, weft_type_node_where(node, i)), sink))
                return false;
        return true;
    }
}

/* The innermost level of most types: blocks that lie `stride` apart. No more calls than needed. */
LEVEL walk_blocks(const struct weft_type_node *block, int64_t stride, weft_type_address mem,
                  uint64_t offset, uint64_t length, struct weft_type_sink *sink)
{
    uint64_t i = weft_divisor_divide(offset, block->by_size);
    uint64_t skip = offset - i * block->size;
    mem = weft_type_address_add(mem, (int64_t)i * stride);
    if (skip) {
        uint64_t head = smaller(block->size - skip, length);
        if (!sink->piece(sink, mem + skip, head))
            return false;
        mem = weft_type_address_add(mem, stride);
        length -= head;
    }
    uint64_t count = weft_divisor_divide(length, block->by_size);
    uint64_t tail = length - count * block->size;
    if (count && !run_strided(block, count, stride, mem, 1, 0, sink))
        return false;
    return !tail || sink->piece(sink, weft_type_address_add(mem, (int64_t)count * stride), tail);
}

LEVEL walk_children(const struct weft_type_node *child, int64_t stride, weft_type_address mem,
                    uint64_t offset, uint64_t length, struct weft_type_sink *sink)
{
    uint64_t i = weft_divisor_divide(offset, child->by_size);
    uint64_t skip = offset - i * child->size;
    mem = weft_type_address_add(mem, (int64_t)i * stride);
    if (length <= child->size - skip)
        return weft_type_walk(child, mem, skip, length, sink);
    if (skip) {
        uint64_t head = child->size - skip;
        if (!weft_type_walk(child, mem, skip, head, sink))
            return false;
        mem = weft_type_address_add(mem, stride);
        length -= head;
    }
    uint64_t copies = weft_divisor_divide(length, child->by_size);
    if (copies) {
        if (!walk_copies(child, copies, stride, mem, sink))
            return false;
        mem = weft_type_address_add(mem, (int64_t)copies * stride);
        length -= copies * child->size;
    }
    return !length || weft_type_walk(child, mem, 0, length, sink);
}

/* A range of copies of `child` that lie `stride` apart: a loop, the count of a call, or one entry
 * of a varied list. */
static inline bool walk_loop(const struct weft_type_node *child, int64_t stride,
                             weft_type_address mem, uint64_t offset, uint64_t length,
                             struct weft_type_sink *sink)
{
    return weft_type_node_is_bytes(child)
               ? walk_blocks(child, stride, mem, offset, length, sink)
               : walk_children(child, stride, mem, offset, length, sink);
}

/* A part of a child that lies at mem. */
static inline bool walk_child(const struct weft_type_node *child, weft_type_address mem,
                              uint64_t offset, uint64_t length, struct weft_type_sink *sink)
{
    return weft_type_node_is_bytes(child) ? sink->piece(sink, mem + offset, length)
                                          : weft_type_walk(child, mem, offset, length, sink);
}

LEVEL walk_plain_list(const struct weft_type_node *list, weft_type_address mem, uint64_t offset,
                      uint64_t length, struct weft_type_sink *sink)
{
    const struct weft_type_node *child = weft_type_node_child(list);
    uint64_t i = weft_divisor_divide(offset, child->by_size);
    uint64_t skip = offset - i * child->size;
    if (skip) {
        uint64_t head = smaller(child->size - skip, length);
        if (!walk_child(child, weft_type_address_add(mem, weft_type_node_where(list, i)), skip,
                        head, sink))
            return false;
        i++;
        length -= head;
    }
    uint64_t entries = weft_divisor_divide(length, child->by_size);
    if (entries && !(weft_type_node_is_bytes(child) ? run_listed(list, i, entries, mem, 1, 0, sink)
                                                    : walk_entries(list, i, entries, mem, sink)))
        return false;
    length -= entries * child->size;
    i += entries;
    return !length || walk_child(child, weft_type_address_add(mem, weft_type_node_where(list, i)),
                                 0, length, sink);
}

/* Entries of so many bytes are handed over one by one: describing a run costs more than it saves
 * where a packet holds two or three. */
#define LARGE_ENTRY 512

/* `bytes`: whether the entries are blocks. */
WEFT_INLINE bool walk_varied(bool bytes, const struct weft_type_node *list, weft_type_address mem,
                             uint64_t offset, uint64_t length, struct weft_type_sink *sink)
{
    const struct weft_type_ends ends = weft_type_node_ends(list);
    unsigned steps = 0;
    uint64_t i = weft_type_ends_find(&ends, list->count, offset, &steps);
    uint64_t start = weft_type_ends_start(&ends, i), skip = offset - start;
    while (length) {
        uint64_t end = weft_type_ends_at(&ends, i), share = end - start;
        uint64_t part = smaller(share - skip, length);
        if (bytes && !skip && part < length && share < LARGE_ENTRY)
            return run_varied(list, i, length, mem, 1, 0, sink);
        weft_type_address entry = weft_type_address_add(mem, weft_type_node_where(list, i));
        if (bytes ? !sink->piece(sink, entry + skip, part)
                  : !walk_loop(weft_type_node_child(list), list->stride, entry, skip, part, sink))
            return false;
        length -= part;
        start = end;
        skip = 0;
        i++;
    }
    return true;
}

LEVEL walk_varied_bytes(const struct weft_type_node *list, weft_type_address mem, uint64_t offset,
                        uint64_t length, struct weft_type_sink *sink)
{
    return walk_varied(true, list, mem, offset, length, sink);
}

LEVEL walk_varied_list(const struct weft_type_node *list, weft_type_address mem, uint64_t offset,
                       uint64_t length, struct weft_type_sink *sink)
{
    return walk_varied(false, list, mem, offset, length, sink);
}

LEVEL walk_seq(const struct weft_type_node *seq, weft_type_address mem, uint64_t offset,
               uint64_t length, struct weft_type_sink *sink)
{
    const struct weft_type_ends ends = weft_type_node_ends(seq);
    unsigned steps = 0;
    uint64_t i = weft_type_ends_find(&ends, seq->count, offset, &steps);
    uint64_t skip = offset - weft_type_ends_start(&ends, i);
    for (;;) {
        const struct weft_type_node *member = weft_type_node_member(seq, i);
        weft_type_address at = weft_type_address_add(mem, weft_type_node_where(seq, i));
        uint64_t rest = member->size - skip;
        if (length <= rest)
            return weft_type_walk(member, at, skip, length, sink);
        if (!weft_type_walk(member, at, skip, rest, sink))
            return false;
        length -= rest;
        skip = 0;
        i++;
    }
}

bool weft_type_walk(const struct weft_type_node *node, weft_type_address mem, uint64_t offset,
                    uint64_t length, struct weft_type_sink *sink)
{
    switch (node->kind) {
    case WEFT_TYPE_NODE_BLOCK:
        return sink->piece(sink, mem + offset, length);
    case WEFT_TYPE_NODE_LOOP:
        return walk_loop(weft_type_node_child(node), node->stride, mem, offset, length, sink);
    case WEFT_TYPE_NODE_LIST:
        if (weft_type_node_is_varied_bytes(node))
            return walk_varied_bytes(node, mem, offset, length, sink);
        if (node->varied)
            return walk_varied_list(node, mem, offset, length, sink);
        return walk_plain_list(node, mem, offset, length, sink);
    default:
        return walk_seq(node, mem, offset, length, sink);
    }
}

bool weft_type_walk_elements(const struct weft_type_node *node, int64_t stride,
                             weft_type_address mem, uint64_t offset, uint64_t length,
                             struct weft_type_sink *sink)
{
    /* Elements that continue the node's own loop or block are more of it, as in a normal form. */
    if (node->kind == WEFT_TYPE_NODE_LOOP && stride == (int64_t)node->count * node->stride)
        return walk_loop(weft_type_node_child(node), node->stride, mem, offset, length, sink);
    if (node->kind == WEFT_TYPE_NODE_BLOCK && stride == (int64_t)node->size)
        return sink->piece(sink, mem + offset, length);
    return walk_loop(node, stride, mem, offset, length, sink);
}

/* One level down: the child that holds the byte, and where it lies. */
static const struct weft_type_node *locate_level(const struct weft_type_node *node,
                                                 struct weft_type_walk_place *place,
                                                 uint64_t *offset)
{
    const struct weft_type_node *child = weft_type_node_child(node);
    uint64_t i;
    if (node->varied || node->kind == WEFT_TYPE_NODE_SEQ) {
        const struct weft_type_ends ends = weft_type_node_ends(node);
        i = weft_type_ends_find(&ends, node->count, *offset, &place->steps);
        place->displacement += weft_type_node_where(node, i);
        uint64_t start = weft_type_ends_start(&ends, i);
        *offset -= start;
        if (node->kind == WEFT_TYPE_NODE_SEQ)
            return weft_type_node_member(node, i);
        place->contiguous = weft_type_ends_at(&ends, i) - start - *offset;
        i = weft_divisor_divide(*offset, child->by_size);
        place->displacement += (int64_t)i * node->stride;
    } else {
        i = weft_divisor_divide(*offset, child->by_size);
        place->displacement += node->kind == WEFT_TYPE_NODE_LOOP ? (int64_t)i * node->stride
                                                                 : weft_type_node_where(node, i);
    }
    *offset -= i * child->size;
    return child;
}

struct weft_type_walk_place weft_type_walk_locate(const struct weft_type_node *node,
                                                  int64_t stride, uint64_t offset)
{
    struct weft_type_walk_place place = {.steps = 1};
    if (offset >= node->size) {
        uint64_t i = weft_divisor_divide(offset, node->by_size);
        place.displacement = (int64_t)i * stride;
        offset -= i * node->size;
    }
    bool entry_is_bytes = false;
    while (node->kind != WEFT_TYPE_NODE_BLOCK) {
        entry_is_bytes = weft_type_node_is_varied_bytes(node);
        node = locate_level(node, &place, &offset);
        place.steps++;
    }
    if (!entry_is_bytes) {
        place.displacement += (int64_t)offset;
        place.contiguous = node->size - offset;
    }
    return place;
}
