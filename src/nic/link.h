/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the stages and the world. Where the world is reliable this adds nothing. Elsewhere each
 * pair of processes has a window: packets are numbered and kept until the other side confirms
 * them, sent again from the first unconfirmed one on if it does not (go-back-n), and accepted
 * only in order and once. A process that stays silent for too long while it owes us something
 * counts as dead.
 */
#ifndef WEFT_NIC_LINK_H
#define WEFT_NIC_LINK_H

#include "nic/state.h"

bool weft_nic_link_open(struct weft_nic *nic, struct weft_nic_peer *peer);
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

/* Writes the headers, completed by what is the same in all packets. */
unsigned char *weft_nic_link_encode(struct weft_nic *nic, const struct weft_nic_peer *peer,
                                    void *place, struct weft_packet *packet);

bool weft_nic_link_accept_numbered(struct weft_nic *nic, struct weft_nic_peer *peer,
                                   const struct weft_packet *packet);

/* Whether the packet is the next one for the stages. */
static inline bool weft_nic_link_accept(struct weft_nic *nic, struct weft_nic_peer *peer,
                                        const struct weft_packet *packet)
{
    return nic->reliable || weft_nic_link_accept_numbered(nic, peer, packet);
}

/* Sends what is due: packets, again or for the first time, and confirmations. */
bool weft_nic_link_step(struct weft_nic *nic);

/* Everything that was sent has been confirmed. */
bool weft_nic_link_is_flushed(const struct weft_nic *nic);

#endif
