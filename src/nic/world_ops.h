/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that the NIC knows of the outside. A world moves packets between the NICs of processes and
 * tells the time; it knows nothing of Portals. Everything is called by the owner of the NIC (one
 * thread at a time) except where it says otherwise, and nothing blocks except `sleep`.
 */
#ifndef WEFT_NIC_WORLD_OPS_H
#define WEFT_NIC_WORLD_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "trace/record.h"

struct weft_nic;
struct weft_nic_world;

struct weft_nic_address {
    uint32_t nid;
    uint32_t pid;
};

static inline bool weft_nic_address_is(struct weft_nic_address one, struct weft_nic_address other)
{
    return one.nid == other.nid && one.pid == other.pid;
}

static inline uint64_t weft_nic_address_hash(struct weft_nic_address address)
{
    return weft_hash_mix(0, (uint64_t)address.nid << 32 | address.pid);
}

/* A way to one other process (or to ourselves). A world puts its own fields behind this. */
struct weft_nic_route {
    struct weft_nic_world *world; /* that moves its packets; it may be a part of the NIC's world */
    struct weft_nic_address address;
    bool failed; /* for good: the process is dead, or was not found before the deadline */
};

struct weft_nic_world_ops {
    /* Nanoseconds since some moment. Any thread. */
    uint64_t (*now)(struct weft_nic_world *world);

    /* The way to a process, made on first use; connecting goes on in the background. NULL if
     * there is no memory. It lives until `close`. */
    struct weft_nic_route *(*route)(struct weft_nic_world *world, struct weft_nic_address address);

    /* Where to write the next packet of up to `size` bytes, or NULL if there is no room now, the
     * route is not connected yet, or it has failed. `commit` sends what was written; a reserved
     * place that is not committed is simply reserved again. */
    void *(*reserve)(struct weft_nic_route *route, size_t size);
    void (*commit)(struct weft_nic_route *route, size_t size);

    /* As `commit`, but the last `size` bytes of the packet are not written yet: they are at
     * `from`, and read before this returns. NULL where a copy is as good. */
    void (*commit_from)(struct weft_nic_route *route, size_t whole, const void *from, size_t size);

    /* Gives packets that have arrived to weft_nic_receive, which is done with their memory when
     * it returns; a limited number of them, so that the caller gets a turn. Says how many. */
    unsigned (*poll)(struct weft_nic_world *world, struct weft_nic *nic);

    /* Housekeeping that may be slow, called now and then: connects, looks for dead processes.
     * A process that fails is reported by weft_nic_peer_failed. */
    void (*check)(struct weft_nic_world *world, struct weft_nic *nic);

    /* Waits until a packet may have come, `wake` is called, or the time is `until`; may return
     * early, and a world that has the NIC stepped by others returns only for the other reasons.
     * Called by any thread, never by the owner. */
    void (*sleep)(struct weft_nic_world *world, uint64_t until);
    void (*wake)(struct weft_nic_world *world);

    /* A caller polled in vain and will poll again: in virtual time, this is where time passes.
     * Any thread, never the owner. */
    void (*relax)(struct weft_nic_world *world);

    /* NULL where nobody wants traces. Any thread: handlers run on threads of their own. */
    void (*trace)(struct weft_nic_world *world, const struct weft_trace_line *record);

    /* No more calls after this. */
    void (*close)(struct weft_nic_world *world);
};

struct weft_nic_world {
    const struct weft_nic_world_ops *ops;
    struct weft_nic_address self;
    uint32_t uid;         /* of the user, which entries may be restricted to */
    uint32_t packet_size; /* largest packet, headers included; at least WEFT_PACKET_SMALLEST */
    bool reliable;        /* packets of a route arrive once and whole, or it fails */
    bool reorders;        /* they may overtake each other on the way */
    bool is_skipped;      /* what a process sends to itself need not come this way */
    uint64_t ready;       /* where time is virtual: the packet that is committed next does not
                             leave before; 0 after each */
    uint64_t timeout;     /* nanoseconds until a process that does not answer counts as dead */
};

#endif
