/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other processes, and the world that has them. A process without a line is parked; the next
 * use calls it.
 */
#ifndef WEFT_WORLD_TCP_PEER_H
#define WEFT_WORLD_TCP_PEER_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "nic/nic.h"
#include "nic/world_ops.h"
#include "world/complaint.h"
#include "world/doze.h"
#include "world/own_time.h"
#include "world/peer.h"
#include "world/tcp/line.h"
#include "world/tcp/place.h"

struct weft_world_rail;

struct weft_tcp_peer {
    struct weft_world_peer known; /* must be first */
    struct weft_tcp_line *line;   /* that we have called, or that is up; or NULL */
};

/* Lines that were accepted and have not confirmed (listen.h). */
struct weft_tcp_strangers {
    struct weft_list lines; /* the oldest first */
    uint32_t count;
};

struct weft_tcp {
    struct weft_nic_world world;  /* must be first */
    struct weft_world_rail *rail; /* that it is; or NULL */
    int epoll;
    int listener;
    struct weft_tcp_place place;
    char interface[IF_NAMESIZE];
    struct weft_world_doze doze;

    struct weft_nic *nic; /* while it polls or checks; or NULL: the world is being closed */
    struct weft_index peers;
    struct weft_tcp_peer *self;
    struct weft_nic_peer *self_nic_peer;
    struct weft_list loop; /* packets to ourselves */
    uint32_t loop_count;

    struct weft_list lines; /* but for strangers */
    struct weft_tcp_strangers knocking, welcomed;
    bool somebody_calls; /* as the listener has said */
    struct weft_list stalled;
    struct weft_list waiting;
    struct weft_list graves;
    struct weft_tcp_line *hot; /* where something came from last */
    unsigned polls;            /* of that one only */
    uint32_t open_count;

    struct weft_tcp_tx *spare; /* what reserve gives out */
    size_t room;               /* of what has come on a line */

    struct weft_world_own_time time;
    uint64_t looks;
    uint64_t alive_pause; /* after what silence we say that we are there */

    const struct weft_tcp_cipher *cipher;
    bool is_plain;
    uint32_t line_limit;
    uint64_t instance; /* ours */
    struct weft_world_directory *directory;
    unsigned char key[WEFT_WORLD_KEY_SIZE];
    struct weft_world_counts counts;
    struct weft_world_complaint complaint;
};

/* NULL if there is none. */
struct weft_tcp_peer *weft_tcp_peer_find(const struct weft_tcp *tcp,
                                         struct weft_nic_address address);

/* Finds or makes the record; NULL without memory. */
struct weft_tcp_peer *weft_tcp_peer(struct weft_tcp *tcp, struct weft_nic_address address);

/* Begins to call a process that has no line. False without memory. */
bool weft_tcp_peer_begin(struct weft_tcp *tcp, struct weft_tcp_peer *peer);

/* Gives up the line and the process behind it, and tells the NIC, or the other rails. */
void weft_tcp_peer_retire(struct weft_tcp *tcp, struct weft_tcp_line *line);

/* Has no more to do with a process that was given up on all rails. */
void weft_tcp_peer_disown(struct weft_tcp *tcp, struct weft_nic_address address,
                          uint64_t instance);

/* A failed process: whether another one has its address now, which may then be called. */
bool weft_tcp_peer_has_successor(struct weft_tcp *tcp, struct weft_tcp_peer *peer);

#endif
