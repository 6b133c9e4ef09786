/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/intern.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weft.h>

#include "base/setting.h"
#include "type/overlap.h"

struct interned {
    struct weft_type_node node; /* first: a node pointer is an interned pointer */
    size_t memory;
    uint64_t references;
    _Atomic int overlap; /* enum overlap_state */
    bool is_lasting;     /* of a basic type: its memory was never allocated */
    struct interned *chain;
    struct interned *older, *newer; /* among the idle ones */
};

enum overlap_state { OVERLAP_UNKNOWN, OVERLAP_NONE, OVERLAP_POSSIBLE };

#define FIRST_SLOTS 256u
static struct interned *first_slots[FIRST_SLOTS];

/* Everything here is guarded by `lock`. */
static struct {
    pthread_mutex_t lock;
    struct interned **slots;
    size_t slot_count; /* a power of two */
    size_t nodes;
    struct interned *oldest, *newest; /* idle: no references */
    uint64_t idle_bytes;
    uint64_t hits;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .slots = first_slots, .slot_count = FIRST_SLOTS};

static int by_address(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (const struct weft_type_node *const *)a;
    uintptr_t right = (uintptr_t) * (const struct weft_type_node *const *)b;
    return (left > right) - (left < right);
}

/* Memory of a node and what hangs below. WEFT_ERR_MEMORY only. */
static int sum_memory(struct interned *made)
{
    const struct weft_type_node *node = &made->node;
    made->memory = node->bytes;
    if (node->to_child)
        made->memory += weft_type_node_memory(weft_type_node_child(node));
    if (!node->to_members)
        return WEFT_OK;
    const struct weft_type_node **sorted = malloc(node->count * sizeof(*sorted));
    if (!sorted)
        return WEFT_ERR_MEMORY;
    for (uint64_t i = 0; i < node->count; i++)
        sorted[i] = weft_type_node_member(node, i);
    qsort(sorted, node->count, sizeof(*sorted), by_address);
    for (uint64_t i = 0; i < node->count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            made->memory += weft_type_node_memory(sorted[i]);
    free(sorted);
    return WEFT_OK;
}

/* ---- The table; callers hold the lock ----------------------------------------------------- */

static struct interned **slot_of(uint64_t hash)
{
    return &table.slots[hash & (table.slot_count - 1)];
}

/* Empty ones, into which all nodes go. */
static void change_slots(struct interned **slots, size_t count)
{
    struct interned **old = table.slots;
    size_t old_count = table.slot_count;
    table.slots = slots;
    table.slot_count = count;
    for (size_t i = 0; i < old_count; i++)
        for (struct interned *each = old[i], *next; each; each = next) {
            next = each->chain;
            each->chain = *slot_of(each->node.hash);
            *slot_of(each->node.hash) = each;
        }
    if (old != first_slots)
        free(old);
}

static void grow(void)
{
    if (table.nodes < table.slot_count)
        return;
    struct interned **slots = calloc(2 * table.slot_count, sizeof(struct interned *));
    if (slots) /* else a crowded table still works */
        change_slots(slots, 2 * table.slot_count);
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

static void for_each_child(const struct weft_type_node *node, void (*what)(struct interned *))
{
    if (node->to_child)
        what((struct interned *)weft_type_node_child(node));
    for (uint64_t i = 0; node->to_members && i < node->count; i++)
        what((struct interned *)weft_type_node_member(node, i));
}

static void evict(struct interned *node)
{
    idle_remove(node);
    struct interned **link = slot_of(node->node.hash);
    while (*link != node)
        link = &(*link)->chain;
    *link = node->chain;
    table.nodes--;
    for_each_child(&node->node, unreference);
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

static struct interned *find(uint64_t hash, const struct weft_type_node_draft *draft)
{
    for (struct interned *each = *slot_of(hash); each; each = each->chain)
        if (each->node.hash == hash && weft_type_draft_equals(draft, &each->node)) {
            reference(each);
            table.hits++;
            return each;
        }
    return NULL;
}

static void discard(struct interned *made)
{
    if (!made->is_lasting)
        free(made);
}

/* Takes ownership of `made`: another thread may have been faster. */
static const struct weft_type_node *insert(struct interned *made,
                                           const struct weft_type_node_draft *draft)
{
    struct interned *found = find(made->node.hash, draft);
    if (found) {
        discard(made);
        return &found->node;
    }
    grow();
    for_each_child(&made->node, reference);
    struct interned **slot = slot_of(made->node.hash);
    made->chain = *slot;
    *slot = made;
    table.nodes++;
    return &made->node;
}

/* ---- Outside ------------------------------------------------------------------------------ */

/* `place`: NULL, or lasting memory for a node without arrays. */
static int intern(const struct weft_type_node_draft *draft, struct interned *place,
                  const struct weft_type_node **out)
{
    uint64_t hash = weft_type_draft_hash(draft);
    pthread_mutex_lock(&table.lock);
    struct interned *found = find(hash, draft);
    pthread_mutex_unlock(&table.lock);
    if (found) {
        *out = &found->node;
        return WEFT_OK;
    }
    struct weft_type_node *node;
    int rc = weft_type_draft_build(draft, hash, sizeof(struct interned), place, &node);
    if (rc)
        return rc;
    struct interned *made = (struct interned *)node;
    made->references = 1;
    made->is_lasting = place != NULL;
    if (sum_memory(made)) {
        discard(made);
        return WEFT_ERR_MEMORY;
    }
    pthread_mutex_lock(&table.lock);
    *out = insert(made, draft);
    pthread_mutex_unlock(&table.lock);
    return WEFT_OK;
}

int weft_type_node_intern(const struct weft_type_node_draft *draft,
                          const struct weft_type_node **out)
{
    return intern(draft, NULL, out);
}

const struct weft_type_node *weft_type_node_of_basic(enum weft_basic kind, uint64_t size)
{
    static struct interned places[WEFT_BASIC_COUNT];
    const struct weft_type_node_draft draft = {.kind = WEFT_TYPE_NODE_BLOCK, .size = size};
    const struct weft_type_node *node = NULL;
    intern(&draft, &places[kind], &node);
    return node;
}

const struct weft_type_node *weft_type_node_retain(const struct weft_type_node *node)
{
    if (node) {
        pthread_mutex_lock(&table.lock);
        reference((struct interned *)node);
        pthread_mutex_unlock(&table.lock);
    }
    return node;
}

void weft_type_node_release(const struct weft_type_node *node)
{
    if (!node)
        return;
    pthread_mutex_lock(&table.lock);
    unreference((struct interned *)node);
    evict_surplus();
    pthread_mutex_unlock(&table.lock);
}

size_t weft_type_node_memory(const struct weft_type_node *node)
{
    return ((const struct interned *)node)->memory;
}

bool weft_type_node_may_overlap(const struct weft_type_node *node)
{
    struct interned *interned = (struct interned *)node;
    /* Two threads may both find it out; they find the same. */
    int state = atomic_load_explicit(&interned->overlap, memory_order_relaxed);
    if (state == OVERLAP_UNKNOWN) {
        state = weft_type_overlap_find(node) ? OVERLAP_POSSIBLE : OVERLAP_NONE;
        atomic_store_explicit(&interned->overlap, state, memory_order_relaxed);
    }
    return state == OVERLAP_POSSIBLE;
}

uint64_t weft_type_node_intern_hits(void)
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
    if (table.slots != first_slots) {
        memset(first_slots, 0, sizeof(first_slots));
        change_slots(first_slots, FIRST_SLOTS);
    }
    pthread_mutex_unlock(&table.lock);
}
