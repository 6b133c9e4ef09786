/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the stages and the world. Where the world is reliable and keeps order this adds nothing.
 * Elsewhere each pair of processes has a window: packets are numbered and kept until the other
 * side confirms them, and those that it lacks are sent again (selective repeat). order.h says when
 * one that has come passes. Where the world does not tell of deaths, a process that stays silent
 * for too long while it owes us something counts as dead.
 */
#ifndef WEFT_NIC_LINK_H
#define WEFT_NIC_LINK_H

#include "nic/order.h"
#include "nic/state.h"

bool weft_nic_link_open(struct weft_nic *nic, struct weft_nic_peer *peer,
                        const struct weft_nic_route *route);
void weft_nic_link_close(struct weft_nic *nic, struct weft_nic_peer *peer);

/* As the operations of a world, but numbered where needed. */
void *weft_nic_link_reserve(struct weft_nic *nic, struct weft_nic_peer *peer, size_t size);
void weft_nic_link_commit(struct weft_nic *nic, struct weft_nic_peer *peer, size_t size);

/* The payload that a packet of a kind can hold on the way to a peer. */
static inline uint32_t weft_nic_link_room(const struct weft_nic_peer *peer,
                                          enum weft_packet_kind kind)
{
    return weft_packet_room(peer->route->world->packet_size, kind);
}

/* As much of what is left as a packet can hold. */
static inline uint64_t weft_nic_link_share(const struct weft_nic_peer *peer,
                                           enum weft_packet_kind kind, uint64_t left)
{
    uint64_t room = weft_nic_link_room(peer, kind);
    return left < room ? left : room;
}

/* Writes the headers, completed by what is the same in all packets. */
unsigned char *weft_nic_link_encode(struct weft_nic *nic, const struct weft_nic_peer *peer,
                                    void *place, struct weft_packet *packet);

/* Reserves room for a packet of this size, with its headers, and writes those. Where the payload
 * goes; NULL: there is no room. */
static inline unsigned char *weft_nic_link_begin(struct weft_nic *nic, struct weft_nic_peer *peer,
                                                 struct weft_packet *packet, size_t size)
{
    void *place = weft_nic_link_reserve(nic, peer, size);
    return place ? weft_nic_link_encode(nic, peer, place, packet) : NULL;
}

/* Sends a packet of `whole` bytes that was begun; its payload, the last of them, is at `from`. */
void weft_nic_link_commit_from(struct weft_nic *nic, struct weft_nic_peer *peer, size_t whole,
                               unsigned char *payload, const void *from, size_t size);

/* The same; from NULL: the payload is in its place. */
static inline void weft_nic_link_end(struct weft_nic *nic, struct weft_nic_peer *peer,
                                     size_t whole, unsigned char *payload, const void *from,
                                     size_t size)
{
    if (weft_rare(from != NULL))
        weft_nic_link_commit_from(nic, peer, whole, payload, from, size);
    else
        weft_nic_link_commit(nic, peer, whole);
}

/* Where packets have numbers: whether this one passes now; and after it, one that waited for it,
 * which is then the caller's to free, or NULL. */
bool weft_nic_link_accept(struct weft_nic *nic, struct weft_nic_peer *peer,
                          const struct weft_packet *packet);
struct weft_nic_held *weft_nic_link_next(struct weft_nic_peer *peer);

/* Sends what is due: packets, again or for the first time, and confirmations. */
bool weft_nic_link_step(struct weft_nic *nic);

/* Sends everything again that was not confirmed, and what we have confirmed. */
void weft_nic_link_repeat(struct weft_nic *nic, struct weft_nic_peer *peer);

/* Everything that was sent has been confirmed. */
bool weft_nic_link_is_flushed(const struct weft_nic *nic);

#endif
