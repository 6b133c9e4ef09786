/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/name.h"

#include <stdlib.h>
#include <sys/random.h>

#include "base/hash.h"
#include "heap/heap.h"

#define PLACES (WEFT_NET_NAME_SETS * WEFT_NET_NAME_WAYS)

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

static void forget_name(struct weft_net_name_table *table, struct weft_net_name *name)
{
    weft_type_free(name->type);
    free_text(table, name->text);
    table->own_bytes -= name->length;
    *name = (struct weft_net_name){0};
}

static void forget_known(struct weft_net_name_table *table, struct weft_net_known *known)
{
    weft_type_free(known->type);
    table->peers_bytes -= known->length;
    *known = (struct weft_net_known){0};
}

static struct weft_net_name *own_at(struct weft_net_name_table *table, unsigned i)
{
    return &table->own[i / WEFT_NET_NAME_WAYS][i % WEFT_NET_NAME_WAYS];
}

static struct weft_net_known *known_at(struct weft_net_name_table *table, unsigned i)
{
    return &table->peers[i / WEFT_NET_NAME_WAYS][i % WEFT_NET_NAME_WAYS];
}

void weft_net_name_close(struct weft_net_name_table *table)
{
    for (unsigned i = 0; i < PLACES; i++) {
        forget_name(table, own_at(table, i));
        forget_known(table, known_at(table, i));
    }
}

/* ---- Ours --------------------------------------------------------------------------------- */

/* Those who read the texts now must go on finding them. */
static bool make_room(struct weft_net_name_table *table, size_t length)
{
    while (table->own_bytes + length > WEFT_NET_NAME_ROOM) {
        struct weft_net_name *oldest = NULL;
        for (unsigned i = 0; i < PLACES; i++) {
            struct weft_net_name *name = own_at(table, i);
            if (name->text && !name->users && (!oldest || name->last < oldest->last))
                oldest = name;
        }
        if (!oldest)
            return false;
        forget_name(table, oldest);
    }
    return true;
}

/* Without a text if it is too long: to find that out again takes as long as the type is. */
static bool write_text(struct weft_net_name_table *table, const weft_type *type,
                       struct weft_net_name *name)
{
    ptrdiff_t length = weft_type_serialize(type, NULL, 0);
    if (length <= 0)
        return false;
    if ((size_t)length > (table->heap ? WEFT_NET_NAME_LONGEST_SHARED : WEFT_NET_NAME_LONGEST))
        return true;
    if (!make_room(table, (size_t)length))
        return false;
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
    table->own_bytes += made.length;
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

/* The types of peers take memory as their texts do, or some times as much. */
static void forget_old_ones(struct weft_net_name_table *table, size_t length)
{
    while (table->peers_bytes && table->peers_bytes + length > WEFT_NET_NAME_ROOM) {
        struct weft_net_known *oldest = NULL;
        for (unsigned i = 0; i < PLACES; i++) {
            struct weft_net_known *known = known_at(table, i);
            if (known->type && (!oldest || known->last < oldest->last))
                oldest = known;
        }
        forget_known(table, oldest);
    }
}

void weft_net_name_learn(struct weft_net_name_table *table, uint32_t rank, uint64_t key,
                         weft_type *type, size_t length)
{
    forget_old_ones(table, length);
    struct weft_net_known *set = set_of(table, rank, key), *oldest = set;
    for (unsigned i = 1; i < WEFT_NET_NAME_WAYS; i++)
        if (set[i].last < oldest->last)
            oldest = &set[i];
    forget_known(table, oldest);
    *oldest = (struct weft_net_known){
        .type = type, .key = key, .rank = rank, .length = length, .last = ++table->uses};
    table->peers_bytes += length;
}
