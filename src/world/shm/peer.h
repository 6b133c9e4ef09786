/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other processes, one record per address. A record has an outgoing side (the route: our
 * claim of a ring in the peer's segment), an incoming side (an inlet: its claim of a ring in
 * ours), either or both, always of one incarnation: the key says which.
 *
 *             route()                      claim made
 *   (new) --------------> seeking ------------------------> connected
 *     |                      | deadline                        |
 *     | it claimed a ring    v                                 v
 *     +------------------> retired <---------------------------+  dead, closed, misbehaves, or
 *                                                                 another has its address
 *
 * Retiring takes all that the peer had committed, then reports it to the NIC. A later process
 * with the same address starts again from (new).
 */
#ifndef WEFT_WORLD_SHM_PEER_H
#define WEFT_WORLD_SHM_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nic/nic.h"
#include "nic/world_ops.h"
#include "world/shm/liveness.h"
#include "world/shm/rendezvous.h"
#include "world/shm/ring.h"
#include "world/shm/segment.h"

struct weft_shm_inlet {
    struct weft_shm_ring_in ring;
    struct weft_nic_peer *nic_peer;
    struct weft_shm_peer *peer; /* NULL: nobody's */
    bool damaged;               /* the sender wrote nonsense: nothing more is taken */
};

struct weft_shm_peer {
    struct weft_nic_route route; /* must be first */
    struct weft_shm_ring_out out;
    struct weft_shm_claim claim; /* zeros unless connected */
    struct weft_shm_segment_id
        id;               /* of the incarnation that either side is connected to; or zeros */
    uint64_t retired_key; /* of the last one, which is not sought again */
    int pidfd;            /* -1 if there is none: it is looked at now and then */
    bool routed;          /* route() was called for it */
    bool seeking;
    bool gone;                             /* to be retired */
    enum weft_shm_segment_answer obstacle; /* why it is still sought */
    uint64_t deadline;                     /* of seeking */
    uint64_t retry;                        /* when to try next */
    struct weft_shm_inlet *inlet;
    struct weft_shm_peer *next;
};

struct weft_shm {
    struct weft_nic_world world; /* must be first */
    struct weft_shm_segment segment;
    struct weft_shm_rendezvous rendezvous;
    struct weft_shm_liveness liveness;
    struct weft_shm_peer *peers;
    uint64_t next_check;
    uint64_t next_look;     /* at those without a pidfd, and at all gates */
    uint64_t shortage_ends; /* when senders are refused for want of memory; 0: there is enough */
    /* Atomic only because a thread that falls asleep looks at the rings; it may see them in the
     * middle of a change and then is wrong in a harmless way. */
    _Atomic uint32_t claims_seen;
    _Atomic uint32_t active_count;
    _Atomic uint32_t *active;      /* the rings that have senders, in no order */
    struct weft_shm_inlet *inlets; /* one for each ring of the segment */
};

/* ---- peer.c -------------------------------------------------------------------------------- */

/* The record, or NULL. */
struct weft_shm_peer *weft_shm_peer_find(struct weft_shm *shm, struct weft_nic_address address);

/* Finds or makes the record; NULL without memory. */
struct weft_shm_peer *weft_shm_peer(struct weft_shm *shm, struct weft_nic_address address);

/* Makes `id` the incarnation of the peer, which must have no other, and sees to it that its death
 * will be noticed. */
enum weft_shm_segment_answer weft_shm_peer_watch(struct weft_shm *shm, struct weft_shm_peer *peer,
                                                 const struct weft_shm_segment_id *id);
void weft_shm_peer_unwatch(struct weft_shm *shm, struct weft_shm_peer *peer);

void weft_shm_peer_retire(struct weft_shm *shm, struct weft_nic *nic, struct weft_shm_peer *peer);

/* Connects what is sought, and retires every peer that has died or left. */
void weft_shm_peer_check(struct weft_shm *shm, struct weft_nic *nic, uint64_t now);

/* ---- seek.c: the outgoing side ------------------------------------------------------------- */

void weft_shm_seek_begin(struct weft_shm *shm, struct weft_shm_peer *peer);

/* Another process than the one that was retired now has the address. */
bool weft_shm_seek_has_successor(struct weft_shm *shm, struct weft_shm_peer *peer);

/* Tries once more if it is time to. */
void weft_shm_seek(struct weft_shm *shm, struct weft_shm_peer *peer, uint64_t now);

/* ---- admit.c: the incoming side ------------------------------------------------------------ */

static inline bool weft_shm_has_claims(const struct weft_shm *shm)
{
    return atomic_load_explicit(&shm->segment.head->claims, memory_order_acquire) !=
           atomic_load_explicit(&shm->claims_seen, memory_order_relaxed);
}

/* Makes an inlet of every ring that was claimed since the last time. */
void weft_shm_admit(struct weft_shm *shm, struct weft_nic *nic);

/* Gives up to `most` packets to the NIC. */
unsigned weft_shm_take(struct weft_shm *shm, struct weft_nic *nic, struct weft_shm_inlet *inlet,
                       unsigned most);

/* Ends the incoming side of a peer, if it has one, after taking all that was committed. */
void weft_shm_dismiss(struct weft_shm *shm, struct weft_nic *nic, struct weft_shm_peer *peer);

#endif
