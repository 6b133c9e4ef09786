/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types have keys between processes of a host ([Sur22], its caches of memory keys): whoever reads
 * memory of another knows the type behind a key, or reads it once. A key is given to one type and
 * never again, and begins at a random number in each net. So what others remember of it cannot be
 * wrong, only of no use any more: neither side tells the other what it forgets.
 */
#ifndef WEFT_TRANSFER_NAME_H
#define WEFT_TRANSFER_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include <weft.h>

struct weft_heap;

#define WEFT_NET_NAME_SETS 32u
#define WEFT_NET_NAME_WAYS 8u

/* A longer one that the system would have to fetch is not worth its trouble: its data comes in
 * packets. One in a heap is read where it lies, which pays for lists of millions of entries. */
#define WEFT_NET_NAME_LONGEST ((size_t)65536)
#define WEFT_NET_NAME_LONGEST_SHARED ((size_t)16 << 20)

/* All texts of a process together, and those of the types that it has learnt from others: older
 * ones make way. */
#define WEFT_NET_NAME_ROOM ((size_t)64 << 20)

/* A type of ours, serialised; found by its hash and compared. */
struct weft_net_name {
    weft_type *type; /* NULL: free */
    uint64_t key;
    unsigned char *text; /* NULL: it is too long */
    size_t length;
    uint32_t users;
    uint64_t last;
};

/* A type of a peer. */
struct weft_net_known {
    weft_type *type;
    uint64_t key;
    uint32_t rank;
    size_t length; /* of its text */
    uint64_t last;
};

struct weft_net_name_table {
    struct weft_heap *heap; /* where peers can see the texts; NULL: they cannot */
    uint64_t next;          /* key */
    uint64_t uses;
    size_t own_bytes, peers_bytes; /* of texts */
    struct weft_net_name own[WEFT_NET_NAME_SETS][WEFT_NET_NAME_WAYS];
    struct weft_net_known peers[WEFT_NET_NAME_SETS][WEFT_NET_NAME_WAYS];
};

bool weft_net_name_open(struct weft_net_name_table *table);
void weft_net_name_close(struct weft_net_name_table *table);

/* Gives the type a key, or finds the one that an equal type has; the caller is a user until it
 * says otherwise. NULL if it is too long, or all places are in use. */
struct weft_net_name *weft_net_name_use(struct weft_net_name_table *table, const weft_type *type);

/* NULL if it was never seen, or is forgotten. */
weft_type *weft_net_name_recall(struct weft_net_name_table *table, uint32_t rank, uint64_t key);

/* Takes over the type, whose text had so many bytes. */
void weft_net_name_learn(struct weft_net_name_table *table, uint32_t rank, uint64_t key,
                         weft_type *type, size_t length);

#endif
