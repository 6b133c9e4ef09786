/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other processes: one record per address, made on first use, and the world that has them.
 *
 *              route()              card              WELCOME
 *     (new) ------------> seeking ---------> greeting ----------> open <-----> parked
 *       |                    |                  |                   |    idle     |
 *       | HELLO              | deadline         | deadline          | silent      |
 *       |                    v                  v                   v             |
 *       |                  failed <-----------------------------------            |
 *       +---> welcomed -----------------------------------------> open            |
 *              |    first frame with our token                                    |
 *              +------------------------------------------------------------------+  deadline
 *
 * A parked process has no session; the next use makes one.
 */
#ifndef WEFT_WORLD_OFI_PEER_H
#define WEFT_WORLD_OFI_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "nic/nic.h"
#include "nic/world_ops.h"
#include "world/card.h"
#include "world/complaint.h"
#include "world/doze.h"
#include "world/ofi/buffers.h"
#include "world/ofi/session.h"
#include "world/own_time.h"
#include "world/peer.h"

struct weft_world_rail;

struct weft_ofi_peer {
    struct weft_world_peer known;     /* must be first */
    struct weft_ofi_session *session; /* SEEKING, GREETING or up; or NULL */
    struct weft_ofi_session *pending; /* WELCOMED, or NULL */
    uint64_t instance;                /* that `to` leads to; 0: none */
    fi_addr_t to;
    uint32_t held; /* buffers that libfabric has for it */
    /* The one that was given up: the tokens of its session, where it was. */
    uint64_t retired_in;
    uint64_t retired_out;
    fi_addr_t retired_to;
};

struct weft_ofi {
    struct weft_nic_world world;  /* must be first */
    struct weft_world_rail *rail; /* that it is; or NULL */
    struct weft_ofi_endpoint endpoint;
    struct weft_ofi_rx rx;
    struct weft_ofi_tx_pool packets; /* buffers for DATA */
    struct weft_ofi_tx_pool controls;
    struct weft_ofi_tx *spare; /* what reserve has given out */
    uint32_t flying;           /* buffers that libfabric has, but for those of dead processes */
    struct weft_world_doze doze;

    struct weft_nic *nic; /* while it polls or checks; or NULL: the world is being closed */
    struct weft_index peers;
    struct weft_ofi_peer *self;
    struct weft_nic_peer *self_nic_peer;
    struct weft_list loop; /* DATA to ourselves */

    struct weft_list sessions;
    struct weft_list stalled;
    struct weft_list due;
    struct weft_list keeping;
    uint32_t session_count; /* of all states but SEEKING */
    uint32_t open_count;
    uint32_t granted; /* to all together */
    uint32_t share;   /* of one */
    uint64_t serial;

    struct weft_world_own_time time;
    uint64_t looks;
    uint64_t probe_pause;
    struct weft_world_complaint complaint;
    unsigned idle_polls;

    uint32_t window;
    uint32_t session_limit;
    uint64_t instance; /* ours */
    struct weft_world_card card;
    struct weft_world_directory *directory;
    unsigned char key[WEFT_WORLD_KEY_SIZE];
    struct weft_world_counts counts;
};

/* NULL if there is none. */
struct weft_ofi_peer *weft_ofi_peer_find(const struct weft_ofi *ofi,
                                         struct weft_nic_address address);

/* Finds or makes the record; NULL without memory. */
struct weft_ofi_peer *weft_ofi_peer(struct weft_ofi *ofi, struct weft_nic_address address);

/* Where the owner of a card is; FI_ADDR_NOTAVAIL if it makes no sense. */
fi_addr_t weft_ofi_peer_place(struct weft_ofi *ofi, struct weft_ofi_peer *peer,
                              const struct weft_world_card *card);

/* Begins a session with a process that has none. False without memory. */
bool weft_ofi_peer_begin(struct weft_ofi *ofi, struct weft_ofi_peer *peer);

/* Asks the directory for the card of a process that is sought. */
void weft_ofi_peer_seek(struct weft_ofi *ofi, struct weft_ofi_session *session);

/* Whether the directory now has another process at the address of one that is greeted. */
bool weft_ofi_peer_is_replaced(struct weft_ofi *ofi, const struct weft_ofi_session *session);

/* Gives up the session and the process behind it, and tells the NIC, or the other rails. */
void weft_ofi_peer_retire(struct weft_ofi *ofi, struct weft_ofi_session *session);

/* Has no more to do with a process that was given up on all rails. */
void weft_ofi_peer_disown(struct weft_ofi *ofi, struct weft_nic_address address,
                          uint64_t instance);

/* Finds out whether the process is there, if nobody does yet. False without memory. */
bool weft_ofi_peer_ask(struct weft_ofi *ofi, struct weft_nic_address address);

/* A failed process: whether another one has its address now, to which a session then begins. */
bool weft_ofi_peer_has_successor(struct weft_ofi *ofi, struct weft_ofi_peer *peer);

#endif
