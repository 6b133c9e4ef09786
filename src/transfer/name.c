/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/name.h"

#include <stdlib.h>
#include <sys/random.h>

#include "base/hash.h"
#include "heap/heap.h"

bool weft_net_name_open(struct weft_net_name_table *table)
{
    bool is_random = getrandom(&table->next, sizeof table->next, 0) == sizeof table->next;
    table->next |= 1; /* a key of 0 stands for a block */
    return is_random;
}

static unsigned char *new_text(const struct weft_net_name_table *table, size_t length)
{
    return table->heap ? weft_heap_take(table->heap, length, 1) : malloc(length);
}

static void free_text(const struct weft_net_name_table *table, unsigned char *text)
{
    if (!table->heap)
        free(text);
    else if (text)
        weft_heap_give(table->heap, text);
}

static void forget_name(const struct weft_net_name_table *table, struct weft_net_name *name)
{
    weft_type_free(name->type);
    free_text(table, name->text);
    *name = (struct weft_net_name){0};
}

void weft_net_name_close(struct weft_net_name_table *table)
{
    for (unsigned i = 0; i < WEFT_NET_NAME_SETS * WEFT_NET_NAME_WAYS; i++) {
        forget_name(table, &table->own[i / WEFT_NET_NAME_WAYS][i % WEFT_NET_NAME_WAYS]);
        weft_type_free(table->peers[i / WEFT_NET_NAME_WAYS][i % WEFT_NET_NAME_WAYS].type);
    }
}

/* ---- Ours --------------------------------------------------------------------------------- */

/* Without a text if it is too long: to find that out again takes as long as the type is. */
static bool write_text(const struct weft_net_name_table *table, const weft_type *type,
                       struct weft_net_name *name)
{
    ptrdiff_t length = weft_type_serialize(type, NULL, 0);
    if (length <= 0)
        return false;
    if ((size_t)length > WEFT_NET_NAME_LONGEST)
        return true;
    name->text = new_text(table, (size_t)length);
    if (!name->text)
        return false;
    name->length = (size_t)length;
    weft_type_serialize(type, name->text, name->length);
    return true;
}

static bool make(struct weft_net_name_table *table, const weft_type *type,
                 struct weft_net_name *name)
{
    struct weft_net_name made = {.key = table->next};
    if (!write_text(table, type, &made))
        return false;
    if (weft_type_dup(type, &made.type) != WEFT_OK) {
        free_text(table, made.text);
        return false;
    }
    table->next += 2;
    forget_name(table, name);
    *name = made;
    return true;
}

struct weft_net_name *weft_net_name_use(struct weft_net_name_table *table, const weft_type *type)
{
    struct weft_type_info info;
    if (weft_type_query(type, &info, sizeof info) != WEFT_OK)
        return NULL;
    struct weft_net_name *set = table->own[(info.hash >> 32) % WEFT_NET_NAME_SETS], *found = NULL;
    for (unsigned i = 0; i < WEFT_NET_NAME_WAYS && !found; i++)
        if (set[i].type && weft_type_equal(set[i].type, type))
            found = &set[i];
    if (!found) {
        for (unsigned i = 0; i < WEFT_NET_NAME_WAYS; i++)
            if (!set[i].users && (!found || set[i].last < found->last))
                found = &set[i];
        if (!found || !make(table, type, found))
            return NULL;
    }
    found->last = ++table->uses;
    if (!found->text)
        return NULL;
    found->users++;
    return found;
}

/* ---- Those of peers ----------------------------------------------------------------------- */

static struct weft_net_known *set_of(struct weft_net_name_table *table, uint32_t rank,
                                     uint64_t key)
{
    return table->peers[(weft_hash_mix(key, rank) >> 32) % WEFT_NET_NAME_SETS];
}

weft_type *weft_net_name_recall(struct weft_net_name_table *table, uint32_t rank, uint64_t key)
{
    struct weft_net_known *set = set_of(table, rank, key);
    for (unsigned i = 0; i < WEFT_NET_NAME_WAYS; i++)
        if (set[i].type && set[i].key == key && set[i].rank == rank) {
            set[i].last = ++table->uses;
            return set[i].type;
        }
    return NULL;
}

void weft_net_name_learn(struct weft_net_name_table *table, uint32_t rank, uint64_t key,
                         weft_type *type)
{
    struct weft_net_known *set = set_of(table, rank, key), *oldest = set;
    for (unsigned i = 1; i < WEFT_NET_NAME_WAYS; i++)
        if (set[i].last < oldest->last)
            oldest = &set[i];
    weft_type_free(oldest->type);
    *oldest =
        (struct weft_net_known){.type = type, .key = key, .rank = rank, .last = ++table->uses};
}
