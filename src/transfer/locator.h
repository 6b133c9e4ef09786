/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process of the same host must know to read a message or a region where it lies: a locator
 * for each, at an address that follows from the number of the message or the key of the region.
 * Nobody is asked for a locator; it is read. So the owner needs no processor for it, and a locator
 * must be right as long as its number is on it.
 */
#ifndef WEFT_TRANSFER_LOCATOR_H
#define WEFT_TRANSFER_LOCATOR_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "heap/heap.h"
#include "transfer/layout.h"

struct weft_net;

struct weft_net_name;

struct weft_net_locator {
    uint64_t word[2]; /* random, the same on all locators of a process */
    _Atomic uint64_t number;
    uint64_t base, count;
    uint64_t key;               /* of the type; 0: one block at `base` */
    uint64_t text, text_length; /* where the type lies, serialised */
};

/* In the numbers of messages and the keys of regions: there is a locator. */
#define WEFT_NET_LOCATOR_OF_MESSAGE (UINT64_C(1) << 31)
#define WEFT_NET_LOCATOR_OF_REGION (UINT64_C(1) << 63)
/* In those of messages besides: it lies in the shared heap, for together.c. */
#define WEFT_NET_LOCATOR_SHARED (UINT64_C(1) << 30)

/*
 * How the two sides share the work of copying a message, beside its locator. The receiver claims
 * it and writes where the message is to go; then both take parts, until none is left. Only it
 * writes here while it has the claim, which may be longer than the message is offered. What one
 * side polls while the other writes something else has a line of its own.
 */
struct weft_net_work {
    _Atomic uint64_t state;   /* 0, the number of the message, or one of those below */
    _Atomic uint64_t watched; /* the number while the sender looks here and needs no events */
    alignas(64) _Atomic uint64_t invited; /* the number once all of this is written: */
    uint64_t base, count, key, text, text_length; /* of the receiver, as in its locators */
    uint64_t end;                                 /* bytes of the message */
    /* Lines of 64 bytes that nobody has taken: the first, and behind it the end. */
    alignas(64) _Atomic uint64_t rest;
    alignas(64) _Atomic uint64_t done; /* bytes of parts that are */
};

#define WEFT_NET_WORK_CLAIMED (UINT64_C(1) << 63)

/* The state that a receiver leaves when it has the message: it has no claim any more. */
static inline uint64_t weft_net_work_over(uint64_t number)
{
    return number & ~WEFT_NET_LOCATOR_OF_MESSAGE;
}

/* Whether another message may be shown beside it. */
static inline bool weft_net_work_is_free(const struct weft_net_work *work)
{
    uint64_t state = atomic_load_explicit(&work->state, memory_order_acquire);
    return !(state & WEFT_NET_LOCATOR_OF_MESSAGE);
}

/* What is read again with every part of the data: nobody else has this word, and when the number
 * is gone, the memory may be used for something else. */
#define WEFT_NET_LOCATOR_PROOF (3 * sizeof(uint64_t))

/* Locators of regions; keys are chosen so that each has its own. */
#define WEFT_NET_LOCATOR_REGIONS 1024u

/* Where the locators of a process are; others get it from WEFT_NET_CONTROL once. */
struct weft_net_locator_root {
    uint64_t host; /* and namespace of process numbers; 0: unknown */
    uint64_t pid;
    uint64_t word[2];
    uint64_t locators;
    uint64_t messages;        /* how many locators are of messages; those of regions follow */
    struct weft_heap_id heap; /* where locators and types are, too; key 0: there is none */
    uint64_t works;           /* of messages, in the heap */
};

struct weft_net_locator_table {
    struct weft_net_locator_root root;
    struct weft_net_locator *locators; /* NULL: this process is not to be read */
    struct weft_net_work *works;       /* NULL: it has no heap */
    struct weft_net_name **names;      /* of their types */
};

/* Nets that are opened from now on let peers see what lies in this heap, which outlives them. */
void weft_net_locator_use_heap(struct weft_heap *heap);

int weft_net_locator_open(struct weft_net *net);
void weft_net_locator_close(struct weft_net *net);

/* Whether the layout is worth a locator; then the index has one until it is withdrawn. */
bool weft_net_locator_show(struct weft_net *net, uint64_t index, uint64_t number,
                           const struct weft_net_layout *layout);
/* The same if it lies in the shared heap. */
bool weft_net_locator_share(struct weft_net *net, uint64_t index, uint64_t number,
                            const struct weft_net_layout *layout);
void weft_net_locator_withdraw(struct weft_net *net, uint64_t index);

/* Which locator a message or a region has. */
static inline uint64_t weft_net_locator_of_message(uint64_t number)
{
    return number & WEFT_POOL_INDEX_MASK;
}

static inline uint64_t weft_net_locator_of_region(const struct weft_net_locator_root *root,
                                                  uint64_t key)
{
    return root->messages + key % WEFT_NET_LOCATOR_REGIONS;
}

#endif
