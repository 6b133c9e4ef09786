/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the worlds between hosts have of another process, each with more behind it: one record per
 * address, made on first use. Which process it is that has an address, its card says by a random
 * number, the instance. An instance that has failed is never let in again: both sides have ended
 * what they had under way. Another one with its address is.
 */
#ifndef WEFT_WORLD_PEER_H
#define WEFT_WORLD_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/index.h"
#include "nic/nic.h"
#include "nic/world_ops.h"
#include "world/fabric.h"

/* Between two questions to the directory. */
#define WEFT_WORLD_SEEK_PAUSE (2 * WEFT_CLOCK_MILLISECOND)

struct weft_world_peer {
    struct weft_nic_route route; /* must be first */
    struct weft_index_node node;
    bool routed;               /* route() was called for it */
    uint64_t retired_instance; /* the one that was given up */
    uint64_t sought_at;        /* when a successor was last looked for */
};

/* Of two processes that greet each other at once, the lower address leads. */
static inline bool weft_world_leads(struct weft_nic_address one, struct weft_nic_address other)
{
    return one.nid != other.nid ? one.nid < other.nid : one.pid < other.pid;
}

/* NULL if there is none. */
struct weft_world_peer *weft_world_peer_find(const struct weft_index *peers,
                                             struct weft_nic_address address);

/* A record of `size` bytes that begins with this one, the rest zero; NULL without memory. */
struct weft_world_peer *weft_world_peer_new(struct weft_index *peers, size_t size,
                                            struct weft_nic_world *world,
                                            struct weft_nic_address address);

void weft_world_peer_free_all(struct weft_index *peers);

/* 0 if the directory has a process there that was not given up. */
int weft_world_peer_look_up(const struct weft_world_peer *peer,
                            struct weft_world_directory *directory, struct weft_world_card *card);

/* Whether another process has the address of a failed one now; the directory is not asked on each
 * call. */
bool weft_world_peer_has_successor(struct weft_world_peer *peer,
                                   struct weft_world_directory *directory);

#endif
