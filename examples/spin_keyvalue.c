/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks insert words into tables that are spread over all ranks: README.md. */
#include <stdio.h>
#include <string.h>
#include <weft_handlers.h>

#include "spin.h"

#define WORDS 300
#define INSERT 1

/* Few buckets, so that chains become longer than the steps of a handler. */
static const struct weft_handler_keyvalue shape = {
    .buckets = 16, .heap = 1 << 20, .queue = 4096, .steps = 8};

static ptl_size_t make_pair(struct weft_handler_pair *pair, unsigned word)
{
    char key[32];
    int length = snprintf(key, sizeof key, "word %u", word);
    return weft_handler_pair_fill(pair, key, (uint32_t)length, &word, sizeof word);
}

static ptl_rank_t owner(const struct spin *spin, const struct weft_handler_pair *pair)
{
    return (ptl_rank_t)((pair->hash >> 32) % spin->size);
}

/* How many of the words that belong here are here. */
static unsigned count_words(const struct spin *spin, const void *table, bool *is_right)
{
    unsigned count = 0;
    for (unsigned word = 0; word < WORDS * spin->size; word++) {
        struct weft_handler_pair pair;
        uint32_t length;
        make_pair(&pair, word);
        if (owner(spin, &pair) != spin->rank)
            continue;
        const void *value =
            weft_handler_keyvalue_find(&shape, table, pair.bytes, pair.key_length, &length);
        *is_right = *is_right && value && memcmp(value, &word, sizeof word) == 0;
        count++;
    }
    return count;
}

int main(void)
{
    struct spin spin;
    ptl_handlers_t handlers;
    spin_open(&spin, 1);
    void *table = spin_memory(weft_handler_keyvalue_size(&shape));
    NEED(weft_handler_keyvalue(spin.ni, &shape, table, &handlers));
    spin_post(&spin, NULL, 0, PTL_ME_OP_PUT, INSERT, PTL_CT_NONE, &handlers);
    spin_barrier(&spin);
    for (unsigned word = spin.rank * WORDS; word < (spin.rank + 1) * WORDS; word++) {
        struct weft_handler_pair pair;
        ptl_size_t size = make_pair(&pair, word);
        spin_put(&spin, &pair, size, owner(&spin, &pair), INSERT, 0, 0);
    }
    spin_barrier(&spin);
    unsigned left = weft_handler_keyvalue_work(&shape, table);
    bool is_right = true;
    unsigned count = count_words(&spin, table, &is_right);
    /* Chains are longer than the handlers go, so both sides had to work. */
    is_right = is_right && left > 0 && left < count;
    if (!is_right)
        spin_say(false, "keyvalue: the table of rank %u", spin.rank);
    spin_barrier(&spin);
    if (spin.rank == 0)
        spin_say(true, "keyvalue: NICs and hosts inserted %u words", WORDS * spin.size);
    spin_close(&spin);
    return 0;
}
