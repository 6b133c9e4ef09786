/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table in host memory into which both handlers and the host insert ([sPIN17], section
 * 5.4). A key that is there keeps its value. Chains may be long, and a header handler must not
 * hold up the network: after `steps` records it leaves the pair to the host, which gets a PUT
 * event for each of these and for nothing else.
 *
 * The table is one piece of memory without pointers; zeroes are an empty one.
 */
#ifndef WEFT_HANDLERS_KEYVALUE_H
#define WEFT_HANDLERS_KEYVALUE_H

#include "handlers/handler.h"

/* The most that keys and values take together: a pair is a user header. */
#define WEFT_HANDLER_PAIR_BYTES 240u

/* What a client puts; only the bytes that are used. */
struct weft_handler_pair {
    uint64_t hash;
    uint32_t key_length, value_length;
    unsigned char bytes[WEFT_HANDLER_PAIR_BYTES]; /* the key, then the value */
};

struct weft_handler_keyvalue {
    uint64_t buckets; /* at least 1 */
    uint64_t heap;    /* bytes for records: a pair and 8 bytes each, in multiples of 8 */
    uint64_t queue;   /* pairs that may wait for the host; at least 1 */
    uint64_t steps;   /* of a handler */
};

/* The table is `weft_handler_keyvalue_size` bytes. Pairs that have no place, in the heap or in the
 * queue, fail with PTL_NI_HANDLER. The entry needs no memory. */
int weft_handler_keyvalue(ptl_handle_ni_t ni, const struct weft_handler_keyvalue *keyvalue,
                          void *table, ptl_handlers_t *handlers);

/* ---- On the host -------------------------------------------------------------------------- */

ptl_size_t weft_handler_keyvalue_size(const struct weft_handler_keyvalue *keyvalue);

/* Returns how many bytes of the pair to put; 0 if it is too long. The upper half of the hash can
 * tell to which process. */
ptl_size_t weft_handler_pair_fill(struct weft_handler_pair *pair, const void *key,
                                  uint32_t key_length, const void *value, uint32_t value_length);

/* Inserts what handlers have left, and returns how many pairs that were. */
unsigned weft_handler_keyvalue_work(const struct weft_handler_keyvalue *keyvalue, void *table);

/* The value, or NULL. */
const void *weft_handler_keyvalue_find(const struct weft_handler_keyvalue *keyvalue,
                                       const void *table, const void *key, uint32_t key_length,
                                       uint32_t *value_length);

#endif
