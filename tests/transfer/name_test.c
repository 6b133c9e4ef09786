/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of long types have a bound for all of them: those that nobody reads make way for new ones,
 * and of the types of peers the oldest are forgotten. */
#include "transfer/name.h"

#include <stdlib.h>

#include "heap/heap.h"
#include "support/rng.h"
#include "support/tap.h"

enum { ENTRIES = 800000, TYPES = 12, PEER = 7 };

static struct weft_net_name_table table;
static struct weft_heap heap;

/* Each step takes nine bytes or so. */
static weft_type *draw_type(uint64_t seed)
{
    struct rng rng = rng_stream(seed, 0);
    weft_type *type = NULL;
    ptrdiff_t *where = calloc(ENTRIES, sizeof *where);
    for (size_t i = 0; i < ENTRIES; i++)
        where[i] = (ptrdiff_t)(rng_next(&rng) >> 2);
    check(weft_type_hindexed_block(ENTRIES, 4, where, weft_basic(WEFT_BYTE), &type) == WEFT_OK);
    free(where);
    return type;
}

static void texts_that_nobody_reads_make_way(weft_type *const *types)
{
    for (unsigned i = 0; i < TYPES; i++) {
        struct weft_net_name *name = weft_net_name_use(&table, types[i]);
        check(name && name->text && name->length > WEFT_NET_NAME_LONGEST);
        check(table.own_bytes <= WEFT_NET_NAME_ROOM);
        name->users--;
    }
    check(table.own_bytes > WEFT_NET_NAME_ROOM / 2);
}

static void texts_that_are_read_stay(weft_type *const *types)
{
    struct weft_net_name *names[TYPES];
    unsigned used = 0;
    while (used < TYPES && (names[used] = weft_net_name_use(&table, types[used])))
        used++;
    check(used > 0 && used < TYPES);
    for (unsigned i = 0; i < used; i++) {
        check(weft_type_equal(names[i]->type, types[i]));
        names[i]->users--;
    }
    check(weft_net_name_use(&table, types[used]) != NULL);
}

static void types_of_peers_make_way(weft_type *const *types)
{
    size_t length = WEFT_NET_NAME_ROOM / 4;
    for (unsigned i = 0; i < TYPES; i++) {
        weft_type *same = NULL;
        check(weft_type_dup(types[i], &same) == WEFT_OK);
        weft_net_name_learn(&table, PEER, i + 1, same, length);
        check(table.peers_bytes <= WEFT_NET_NAME_ROOM);
        check(weft_net_name_recall(&table, PEER, i + 1) == same);
    }
    check(weft_net_name_recall(&table, PEER, 1) == NULL);
    check(weft_net_name_recall(&table, PEER, TYPES - 1) != NULL);
}

int main(void)
{
    weft_type *types[TYPES];
    check(weft_heap_open(&heap, 4 * WEFT_NET_NAME_ROOM));
    check(weft_net_name_open(&table));
    table.heap = &heap;
    for (unsigned i = 0; i < TYPES; i++)
        types[i] = draw_type(i);
    texts_that_nobody_reads_make_way(types);
    texts_that_are_read_stay(types);
    types_of_peers_make_way(types);
    weft_net_name_close(&table);
    for (unsigned i = 0; i < TYPES; i++)
        weft_type_free(types[i]);
    weft_heap_close(&heap);
    return tap_done();
}
