/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/intern.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weft.h>

#include "base/hash.h"
#include "base/setting.h"
#include "type/kernel.h"
#include "type/overlap.h"

struct interned {
    struct weft_node node; /* first: a node pointer is an interned pointer */
    size_t memory;
    uint64_t references;
    _Atomic int overlap; /* enum overlap_state */
    struct interned *chain;
    struct interned *older, *newer; /* among the idle ones */
};

enum overlap_state { OVERLAP_UNKNOWN, OVERLAP_NONE, OVERLAP_POSSIBLE };

/* Everything here is guarded by `lock`. */
static struct {
    pthread_mutex_t lock;
    struct interned **slots;
    size_t slot_count; /* a power of two, or 0 before first use */
    size_t nodes;
    struct interned *oldest, *newest; /* idle: no references */
    uint64_t idle_bytes;
    uint64_t hits;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Hashing and comparing ---------------------------------------------------------------- */

static uint64_t hash_draft(const struct weft_node_draft *draft)
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

static bool equals_draft(const struct weft_node *node, const struct weft_node_draft *draft)
{
    if (node->kind != draft->kind || node->size != draft->size || node->count != draft->count ||
        node->stride != draft->stride || node->child != draft->child ||
        node->varied != (draft->kind == WEFT_NODE_LIST && draft->end))
        return false;
    for (uint64_t i = 0; draft->where && i < draft->count; i++)
        if (weft_node_where(node, i) != draft->where[i])
            return false;
    for (uint64_t i = 0; draft->end && i < draft->count; i++)
        if (weft_ends_at(&node->ends, i) != draft->end[i])
            return false;
    return !draft->members ||
           memcmp(node->members, draft->members, draft->count * sizeof(*node->members)) == 0;
}

/* ---- Bounds and counts -------------------------------------------------------------------- */

/* Grows [low, high) of `node` by `copies` copies of `child`, `stride` apart, the first at `at`. */
static bool widen(struct weft_node *node, const struct weft_node *child, int64_t at,
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

static bool measure_entry(struct weft_node *node, const struct weft_node_draft *draft, uint64_t i)
{
    if (draft->kind == WEFT_NODE_SEQ)
        return widen(node, draft->members[i], draft->where[i], 1, 0);
    uint64_t copies = 1;
    if (draft->end)
        copies = (draft->end[i] - (i ? draft->end[i - 1] : 0)) / draft->child->size;
    return widen(node, draft->child, draft->where[i], copies, draft->stride);
}

/* Whether most entries of a list lie so far from the one before that no hardware prefetcher sees
 * the connection. */
static bool is_far(const struct weft_node_draft *draft)
{
    uint64_t far = 0;
    for (uint64_t i = 1; i < draft->count; i++) {
        uint64_t step = (uint64_t)draft->where[i] - (uint64_t)draft->where[i - 1];
        far += step + 512 > 1024;
    }
    return far > draft->count / 2;
}

/* The facts that follow from a draft. */
static int measure(const struct weft_node_draft *draft, struct weft_node *node)
{
    *node = (struct weft_node){
        .kind = (uint8_t)draft->kind,
        .size = draft->size,
        .count = draft->count,
        .stride = draft->stride,
        .child = draft->child,
        .varied = draft->kind == WEFT_NODE_LIST && draft->end,
        .low = INT64_MAX,
        .high = INT64_MIN,
    };
    if (draft->size > INT64_MAX)
        return WEFT_ERR_OVERFLOW;
    uint32_t below = draft->child ? draft->child->depth : 0;
    if (draft->kind == WEFT_NODE_BLOCK) {
        node->low = 0;
        node->high = (int64_t)draft->size;
        node->pieces = 1;
        node->kernel = weft_kernel_choose(draft->size);
    } else if (draft->kind == WEFT_NODE_LOOP) {
        if (!widen(node, draft->child, 0, draft->count, draft->stride))
            return WEFT_ERR_OVERFLOW;
    }
    for (uint64_t i = 0; draft->where && i < draft->count; i++) {
        if (!measure_entry(node, draft, i))
            return WEFT_ERR_OVERFLOW;
        node->wide |= draft->where[i] != (int32_t)draft->where[i];
        if (draft->members && draft->members[i]->depth > below)
            below = draft->members[i]->depth;
    }
    if (weft_node_is_varied_bytes(node))
        node->pieces = node->count;
    node->far = draft->kind == WEFT_NODE_LIST && is_far(draft);
    node->depth = below + 1;
    node->by_size = weft_divisor(draft->size);
    node->ends.wide = draft->size > UINT32_MAX;
    return node->depth > WEFT_MAX_DEPTH ? WEFT_ERR_DEPTH : WEFT_OK;
}

/* ---- Building ----------------------------------------------------------------------------- */

/* About eight entries to a bucket; none for short lists, for which it gains nothing, and none
 * where displacements and ends are both wide, to stay within 16 bytes an entry. */
static uint64_t bucket_count(const struct weft_node *node, const struct weft_node_draft *draft,
                             uint8_t *shift)
{
    *shift = 0;
    if (!draft->end || draft->count < 2 * WEFT_ENDS_PER_BUCKET || draft->count > UINT32_MAX ||
        (node->varied && node->wide && node->ends.wide))
        return 0;
    uint64_t wanted = draft->count / WEFT_ENDS_PER_BUCKET;
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
                         const struct weft_node_draft *draft)
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

/* One allocation holds the node and its arrays. */
static struct interned *build(const struct weft_node_draft *draft, const struct weft_node *facts)
{
    uint8_t shift;
    uint64_t n = draft->count, buckets = bucket_count(facts, draft, &shift);
    size_t where = draft->where ? round_up(n * (facts->wide ? 8 : 4)) : 0;
    size_t end = draft->end ? round_up(n * (facts->ends.wide ? 8 : 4)) : 0;
    size_t members = draft->members ? n * sizeof(*draft->members) : 0;
    size_t bytes = sizeof(struct interned) + where + end + members + buckets * sizeof(uint32_t);
    struct interned *made = malloc(bytes);
    if (!made)
        return NULL;
    char *next = (char *)(made + 1);
    *made = (struct interned){.node = *facts, .references = 1};
    made->node.bytes = bytes;
    if (draft->where) {
        fill_numbers(next, draft->where, n, facts->wide);
        made->node.where = next;
    }
    next += where;
    if (draft->end) {
        fill_numbers(next, (const int64_t *)draft->end, n, facts->ends.wide);
        made->node.ends.end = next;
    }
    next += end;
    if (draft->members) {
        memcpy(next, draft->members, members);
        made->node.members = (const struct weft_node *const *)next;
    }
    next += members;
    if (buckets) {
        fill_buckets((uint32_t *)next, buckets, shift, draft);
        made->node.ends.bucket = (const uint32_t *)next;
        made->node.ends.shift = shift;
    }
    return made;
}

static int by_address(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (const struct weft_node *const *)a;
    uintptr_t right = (uintptr_t) * (const struct weft_node *const *)b;
    return (left > right) - (left < right);
}

/* Memory of a node and what hangs below. WEFT_ERR_MEMORY only. */
static int sum_memory(struct interned *made)
{
    const struct weft_node *node = &made->node;
    made->memory = node->bytes + (node->child ? weft_node_memory(node->child) : 0);
    if (!node->members)
        return WEFT_OK;
    const struct weft_node **sorted = malloc(node->count * sizeof(*sorted));
    if (!sorted)
        return WEFT_ERR_MEMORY;
    memcpy(sorted, node->members, node->count * sizeof(*sorted));
    qsort(sorted, node->count, sizeof(*sorted), by_address);
    for (uint64_t i = 0; i < node->count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            made->memory += weft_node_memory(sorted[i]);
    free(sorted);
    return WEFT_OK;
}

/* ---- The table; callers hold the lock ----------------------------------------------------- */

static struct interned **slot_of(uint64_t hash)
{
    return &table.slots[hash & (table.slot_count - 1)];
}

static bool grow(void)
{
    if (table.nodes < table.slot_count)
        return true;
    size_t old_count = table.slot_count;
    struct interned **old = table.slots;
    size_t count = old_count ? 2 * old_count : 256;
    struct interned **slots = calloc(count, sizeof(struct interned *));
    if (!slots)
        return old_count > 0; /* a crowded table still works */
    table.slots = slots;
    table.slot_count = count;
    for (size_t i = 0; i < old_count; i++)
        for (struct interned *each = old[i], *next; each; each = next) {
            next = each->chain;
            each->chain = *slot_of(each->node.hash);
            *slot_of(each->node.hash) = each;
        }
    free(old);
    return true;
}

static void idle_add(struct interned *node)
{
    node->newer = NULL;
    node->older = table.newest;
    *(table.newest ? &table.newest->newer : &table.oldest) = node;
    table.newest = node;
    table.idle_bytes += node->memory;
}

static void idle_remove(struct interned *node)
{
    *(node->older ? &node->older->newer : &table.oldest) = node->newer;
    *(node->newer ? &node->newer->older : &table.newest) = node->older;
    table.idle_bytes -= node->memory;
}

static void unreference(struct interned *node)
{
    if (--node->references == 0)
        idle_add(node);
}

static void evict(struct interned *node)
{
    idle_remove(node);
    struct interned **link = slot_of(node->node.hash);
    while (*link != node)
        link = &(*link)->chain;
    *link = node->chain;
    table.nodes--;
    if (node->node.child)
        unreference((struct interned *)node->node.child);
    for (uint64_t i = 0; node->node.members && i < node->node.count; i++)
        unreference((struct interned *)node->node.members[i]);
    free(node);
}

static void evict_surplus(void)
{
    while (table.oldest && table.idle_bytes > weft_setting(WEFT_SETTING_TYPE_CACHE))
        evict(table.oldest);
}

static void reference(struct interned *node)
{
    if (node->references++ == 0)
        idle_remove(node);
}

static struct interned *find(uint64_t hash, const struct weft_node_draft *draft)
{
    if (!table.slot_count)
        return NULL;
    for (struct interned *each = *slot_of(hash); each; each = each->chain)
        if (each->node.hash == hash && equals_draft(&each->node, draft)) {
            reference(each);
            table.hits++;
            return each;
        }
    return NULL;
}

/* Takes ownership of `made`: another thread may have been faster. */
static int insert(struct interned *made, const struct weft_node_draft *draft,
                  const struct weft_node **out)
{
    struct interned *found = find(made->node.hash, draft);
    if (found || !grow()) {
        free(made);
        *out = found ? &found->node : NULL;
        return found ? WEFT_OK : WEFT_ERR_MEMORY;
    }
    if (made->node.child)
        reference((struct interned *)made->node.child);
    for (uint64_t i = 0; made->node.members && i < made->node.count; i++)
        reference((struct interned *)made->node.members[i]);
    struct interned **slot = slot_of(made->node.hash);
    made->chain = *slot;
    *slot = made;
    table.nodes++;
    *out = &made->node;
    return WEFT_OK;
}

/* ---- Outside ------------------------------------------------------------------------------ */

int weft_node_intern(const struct weft_node_draft *draft, const struct weft_node **out)
{
    uint64_t hash = hash_draft(draft);
    pthread_mutex_lock(&table.lock);
    struct interned *found = find(hash, draft);
    pthread_mutex_unlock(&table.lock);
    if (found) {
        *out = &found->node;
        return WEFT_OK;
    }
    struct weft_node facts;
    int rc = measure(draft, &facts);
    if (rc)
        return rc;
    facts.hash = hash;
    struct interned *made = build(draft, &facts);
    if (!made || sum_memory(made)) {
        free(made);
        return WEFT_ERR_MEMORY;
    }
    pthread_mutex_lock(&table.lock);
    rc = insert(made, draft, out);
    pthread_mutex_unlock(&table.lock);
    return rc;
}

const struct weft_node *weft_node_retain(const struct weft_node *node)
{
    if (node) {
        pthread_mutex_lock(&table.lock);
        reference((struct interned *)node);
        pthread_mutex_unlock(&table.lock);
    }
    return node;
}

void weft_node_release(const struct weft_node *node)
{
    if (!node)
        return;
    pthread_mutex_lock(&table.lock);
    unreference((struct interned *)node);
    evict_surplus();
    pthread_mutex_unlock(&table.lock);
}

size_t weft_node_memory(const struct weft_node *node)
{
    return ((const struct interned *)node)->memory;
}

bool weft_node_may_overlap(const struct weft_node *node)
{
    struct interned *interned = (struct interned *)node;
    /* Two threads may both find it out; they find the same. */
    int state = atomic_load_explicit(&interned->overlap, memory_order_relaxed);
    if (state == OVERLAP_UNKNOWN) {
        state = weft_overlap_find(node) ? OVERLAP_POSSIBLE : OVERLAP_NONE;
        atomic_store_explicit(&interned->overlap, state, memory_order_relaxed);
    }
    return state == OVERLAP_POSSIBLE;
}

uint64_t weft_node_intern_hits(void)
{
    pthread_mutex_lock(&table.lock);
    uint64_t hits = table.hits;
    pthread_mutex_unlock(&table.lock);
    return hits;
}

/* So that leak checkers see a clean process. */
__attribute__((destructor)) static void drop_idle(void)
{
    pthread_mutex_lock(&table.lock);
    while (table.oldest)
        evict(table.oldest);
    if (!table.nodes) {
        free(table.slots);
        table.slots = NULL;
        table.slot_count = 0;
    }
    pthread_mutex_unlock(&table.lock);
}
