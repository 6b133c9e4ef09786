/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process of the same host must know to read a message or a region where it lies: a card
 * for each, at an address that follows from the number of the message or the key of the region.
 * Nobody is asked for a card; it is read. So the owner needs no processor for it, and a card must
 * be right as long as its number is on it.
 */
#ifndef WEFT_TRANSFER_CARD_H
#define WEFT_TRANSFER_CARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "transfer/layout.h"

struct weft_net;

struct weft_net_name;

struct weft_net_card {
    uint64_t word[2]; /* random, the same on all cards of a process */
    _Atomic uint64_t number;
    uint64_t base, count;
    uint64_t key;               /* of the type; 0: one block at `base` */
    uint64_t text, text_length; /* where the type lies, serialised */
};

/* What is read again with every part of the data: nobody else has this word, and when the number
 * is gone, the memory may be used for something else. */
#define WEFT_NET_CARD_PROOF (3 * sizeof(uint64_t))

/* Cards of regions; keys are chosen so that each has its own. */
#define WEFT_NET_CARD_REGIONS 1024u

/* In the numbers of messages and the keys of regions: there is a card. */
#define WEFT_NET_CARD_OF_MESSAGE (UINT64_C(1) << 31)
#define WEFT_NET_CARD_OF_REGION (UINT64_C(1) << 63)

/* Where the cards of a process are; others get it from WEFT_NET_CONTROL once. */
struct weft_net_door {
    uint64_t host; /* and namespace of process numbers; 0: unknown */
    uint64_t pid;
    uint64_t word[2];
    uint64_t cards;
    uint64_t messages; /* how many cards are of messages; those of regions follow */
};

struct weft_net_card_table {
    struct weft_net_door door;
    struct weft_net_card *cards;  /* NULL: this process is not to be read */
    struct weft_net_name **names; /* of their types */
};

int weft_net_card_open(struct weft_net *net);
void weft_net_card_close(struct weft_net *net);

/* Whether the layout is worth a card; then the index has one until it is withdrawn. */
bool weft_net_card_show(struct weft_net *net, uint64_t index, uint64_t number,
                        const struct weft_net_layout *layout);
void weft_net_card_withdraw(struct weft_net *net, uint64_t index);

/* Which card a message or a region has. */
static inline uint64_t weft_net_card_of_message(uint64_t number)
{
    return number & WEFT_POOL_INDEX_MASK;
}

static inline uint64_t weft_net_card_of_region(const struct weft_net_door *door, uint64_t key)
{
    return door->messages + key % WEFT_NET_CARD_REGIONS;
}

#endif
