/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/draft.h"

#include <stdlib.h>
#include <string.h>

#include <weft.h>

#include "base/hash.h"
#include "type/kernel.h"

/* ---- Hashing and comparing ---------------------------------------------------------------- */

uint64_t weft_type_draft_hash(const struct weft_type_node_draft *draft)
{
    uint64_t hash = weft_hash_mix(draft->kind, draft->size);
    hash = weft_hash_mix(hash, draft->count);
    hash = weft_hash_mix(hash, (uint64_t)draft->stride);
    hash = weft_hash_mix(hash, draft->child ? draft->child->hash : 0);
    for (uint64_t i = 0; draft->where && i < draft->count; i++)
        hash = weft_hash_mix(hash, (uint64_t)draft->where[i]);
    for (uint64_t i = 0; draft->end && i < draft->count; i++)
        hash = weft_hash_mix(hash, draft->end[i]);
    for (uint64_t i = 0; draft->members && i < draft->count; i++)
        hash = weft_hash_mix(hash, draft->members[i]->hash);
    return hash;
}

bool weft_type_draft_equals(const struct weft_type_node_draft *draft,
                            const struct weft_type_node *node)
{
    if (node->kind != draft->kind || node->size != draft->size || node->count != draft->count ||
        node->stride != draft->stride ||
        node->to_child != weft_type_node_distance(node, draft->child) ||
        node->varied != (draft->kind == WEFT_TYPE_NODE_LIST && draft->end))
        return false;
    for (uint64_t i = 0; draft->where && i < draft->count; i++)
        if (weft_type_node_where(node, i) != draft->where[i])
            return false;
    const struct weft_type_ends ends = weft_type_node_ends(node);
    for (uint64_t i = 0; draft->end && i < draft->count; i++)
        if (weft_type_ends_at(&ends, i) != draft->end[i])
            return false;
    for (uint64_t i = 0; draft->members && i < draft->count; i++)
        if (weft_type_node_member(node, i) != draft->members[i])
            return false;
    return true;
}

/* ---- Bounds and counts -------------------------------------------------------------------- */

/* Grows [low, high) of `node` by `copies` copies of `child`, `stride` apart, the first at `at`. */
static bool widen(struct weft_type_node *node, const struct weft_type_node *child, int64_t at,
                  uint64_t copies, int64_t stride)
{
    int64_t last, low, high;
    if (copies - 1 > INT64_MAX || __builtin_mul_overflow((int64_t)(copies - 1), stride, &last) ||
        __builtin_add_overflow(at, last, &last) ||
        __builtin_add_overflow(at < last ? at : last, child->low, &low) ||
        __builtin_add_overflow(at < last ? last : at, child->high, &high))
        return false;
    if (low < node->low)
        node->low = low;
    if (high > node->high)
        node->high = high;
    node->pieces += copies * child->pieces;
    return true;
}

/* Whether one copy more would still begin within the numbers: as a constructor or in writing, such
 * copies are elements with an extent, and the upper bound of the last is there. */
static bool has_end(int64_t at, uint64_t copies, int64_t stride)
{
    int64_t end;
    return copies <= INT64_MAX && !__builtin_mul_overflow((int64_t)copies, stride, &end) &&
           !__builtin_add_overflow(at, end, &end);
}

static bool measure_entry(struct weft_type_node *node, const struct weft_type_node_draft *draft,
                          uint64_t i)
{
    if (draft->kind == WEFT_TYPE_NODE_SEQ)
        return widen(node, draft->members[i], draft->where[i], 1, 0);
    uint64_t copies = 1;
    if (draft->end)
        copies = (draft->end[i] - (i ? draft->end[i - 1] : 0)) / draft->child->size;
    return widen(node, draft->child, draft->where[i], copies, draft->stride) &&
           (!draft->end || has_end(draft->where[i], copies, draft->stride));
}

/* Whether most entries of a list lie so far from the one before that no hardware prefetcher sees
 * the connection. */
static bool is_far(const struct weft_type_node_draft *draft)
{
    uint64_t far = 0;
    for (uint64_t i = 1; i < draft->count; i++) {
        uint64_t step = (uint64_t)draft->where[i] - (uint64_t)draft->where[i - 1];
        far += step + 512 > 1024;
    }
    return far > draft->count / 2;
}

/* Entries of one copy each: what lies first and last bounds them all. */
static bool measure_even_list(struct weft_type_node *node,
                              const struct weft_type_node_draft *draft)
{
    int64_t least = draft->where[0], most = least;
    for (uint64_t i = 1; i < draft->count; i++) {
        int64_t at = draft->where[i];
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    node->wide = least < INT32_MIN || most > INT32_MAX;
    bool is_within =
        widen(node, draft->child, least, 1, 0) && widen(node, draft->child, most, 1, 0);
    node->pieces = draft->count * draft->child->pieces;
    return is_within;
}

static int measure_entries(struct weft_type_node *node, const struct weft_type_node_draft *draft,
                           uint32_t *below)
{
    for (uint64_t i = 0; i < draft->count; i++) {
        if (!measure_entry(node, draft, i))
            return WEFT_ERR_OVERFLOW;
        node->wide |= draft->where[i] != (int32_t)draft->where[i];
        if (draft->members && draft->members[i]->depth > *below)
            *below = draft->members[i]->depth;
    }
    return WEFT_OK;
}

/* The facts that follow from a draft. */
static int measure(const struct weft_type_node_draft *draft, struct weft_type_node *node)
{
    *node = (struct weft_type_node){
        .kind = (uint8_t)draft->kind,
        .size = draft->size,
        .count = draft->count,
        .stride = draft->stride,
        .varied = draft->kind == WEFT_TYPE_NODE_LIST && draft->end,
        .low = INT64_MAX,
        .high = INT64_MIN,
    };
    if (draft->size > INT64_MAX)
        return WEFT_ERR_OVERFLOW;
    uint32_t below = draft->child ? draft->child->depth : 0;
    if (draft->kind == WEFT_TYPE_NODE_BLOCK) {
        node->low = 0;
        node->high = (int64_t)draft->size;
        node->pieces = 1;
        node->kernel = weft_type_kernel_choose(draft->size);
    } else if (draft->kind == WEFT_TYPE_NODE_LOOP) {
        if (!widen(node, draft->child, 0, draft->count, draft->stride))
            return WEFT_ERR_OVERFLOW;
    }
    if (draft->kind == WEFT_TYPE_NODE_LIST && !draft->end && !measure_even_list(node, draft))
        return WEFT_ERR_OVERFLOW;
    if ((draft->kind == WEFT_TYPE_NODE_SEQ || draft->end) && measure_entries(node, draft, &below))
        return WEFT_ERR_OVERFLOW;
    node->varied_bytes = node->varied && draft->stride == 1 && draft->child->size == 1;
    if (node->varied_bytes)
        node->pieces = node->count;
    node->far = draft->kind == WEFT_TYPE_NODE_LIST && is_far(draft);
    node->depth = below + 1;
    node->by_size = weft_divisor(draft->size);
    node->wide_ends = draft->size > UINT32_MAX;
    return node->depth > WEFT_MAX_DEPTH ? WEFT_ERR_DEPTH : WEFT_OK;
}

/* ---- Building ----------------------------------------------------------------------------- */

/* Members of a seq are few and large, so they get several buckets each; two entries of a list
 * share one. None for lists whose displacements and ends are both wide, to stay within 16 bytes
 * an entry. */
static uint64_t bucket_count(const struct weft_type_node *node,
                             const struct weft_type_node_draft *draft, uint8_t *shift)
{
    *shift = 0;
    if (!draft->end || draft->count < (draft->members ? 2 : 4) || draft->count > UINT32_MAX / 4 ||
        (node->varied && node->wide && node->wide_ends))
        return 0;
    uint64_t wanted = draft->members ? 4 * draft->count : draft->count / 2;
    while (draft->size >> *shift > wanted)
        ++*shift;
    return ((draft->size - 1) >> *shift) + 2;
}

static void fill_numbers(void *to, const int64_t *from, uint64_t count, bool wide)
{
    for (uint64_t i = 0; i < count; i++)
        if (wide)
            ((int64_t *)to)[i] = from[i];
        else
            ((int32_t *)to)[i] = (int32_t)from[i];
}

static void fill_buckets(uint32_t *bucket, uint64_t buckets, uint8_t shift,
                         const struct weft_type_node_draft *draft)
{
    uint64_t entry = 0;
    for (uint64_t j = 0; j < buckets; j++) {
        while (entry < draft->count - 1 && draft->end[entry] <= j << shift)
            entry++;
        bucket[j] = (uint32_t)entry;
    }
}

static size_t round_up(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

/* The arrays of a node follow each other behind its header, each aligned to 8 bytes. */
static void fill_arrays(const struct weft_type_node_draft *draft, struct weft_type_node *node,
                        char *next, uint64_t buckets)
{
    uint64_t n = draft->count;
    if (draft->where) {
        fill_numbers(next, draft->where, n, node->wide);
        node->to_where = weft_type_node_distance(node, next);
        next += round_up(n * (node->wide ? 8 : 4));
    }
    if (draft->end) {
        fill_numbers(next, (const int64_t *)draft->end, n, node->wide_ends);
        node->to_ends = weft_type_node_distance(node, next);
        next += round_up(n * (node->wide_ends ? 8 : 4));
    }
    if (draft->members) {
        int64_t *members = (int64_t *)next;
        for (uint64_t i = 0; i < n; i++)
            members[i] = weft_type_node_distance(node, draft->members[i]);
        node->to_members = weft_type_node_distance(node, next);
        next += n * sizeof(*members);
    }
    if (buckets) {
        fill_buckets((uint32_t *)next, buckets, node->bucket_shift, draft);
        node->to_buckets = weft_type_node_distance(node, next);
    }
}

int weft_type_draft_build(const struct weft_type_node_draft *draft, uint64_t hash, size_t header,
                          void *place, struct weft_type_node **out)
{
    struct weft_type_node facts;
    int rc = measure(draft, &facts);
    if (rc)
        return rc;
    facts.hash = hash;
    uint64_t n = draft->count, buckets = bucket_count(&facts, draft, &facts.bucket_shift);
    facts.bytes = header + (draft->where ? round_up(n * (facts.wide ? 8 : 4)) : 0) +
                  (draft->end ? round_up(n * (facts.wide_ends ? 8 : 4)) : 0) +
                  (draft->members ? n * sizeof(int64_t) : 0) + buckets * sizeof(uint32_t);
    struct weft_type_node *node = place ? place : malloc(facts.bytes);
    if (!node)
        return WEFT_ERR_MEMORY;
    memset(node, 0, header);
    *node = facts;
    node->to_child = weft_type_node_distance(node, draft->child);
    fill_arrays(draft, node, (char *)node + header, buckets);
    *out = node;
    return WEFT_OK;
}
