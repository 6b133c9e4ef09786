/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NIC as its world and its driver see it. It is a state machine: nothing happens but in these
 * calls, all made by its one owner at a time, and none of them waits.
 */
#ifndef WEFT_NIC_NIC_H
#define WEFT_NIC_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nic/config.h"
#include "nic/world_ops.h"

struct weft_nic;
struct weft_nic_peer;

/* NULL without memory. The core of the configuration outlives the NIC. */
struct weft_nic *weft_nic_open(struct weft_nic_world *world, const struct weft_nic_config *config);
void weft_nic_close(struct weft_nic *nic);

/* One round: what has arrived, what waits to be sent, what is overdue. Says whether anything was
 * done. */
bool weft_nic_step(struct weft_nic *nic);

/* When the NIC wants to be stepped even if nothing arrives: UINT64_MAX if never. */
uint64_t weft_nic_deadline(const struct weft_nic *nic);

/* Nothing waits to be sent, and no reliable peer has yet to confirm anything. */
bool weft_nic_is_flushed(const struct weft_nic *nic);

/* ---- For the world ------------------------------------------------------------------------ */

/* What the NIC knows of a process; NULL without memory. It lives as long as the NIC. */
struct weft_nic_peer *weft_nic_peer(struct weft_nic *nic, struct weft_nic_address address);

/* Packets of the peer must wait where they are, and in order: handlers of its messages are too
 * slow for them. To be asked before each, and at every poll. */
bool weft_nic_peer_waits(struct weft_nic *nic, struct weft_nic_peer *peer);

/* A packet has arrived from `peer`. Its memory may be shared with the sender. */
void weft_nic_receive(struct weft_nic *nic, struct weft_nic_peer *peer, const void *bytes,
                      size_t size);

/* Where the payload goes of a packet of `size` bytes, of which only the headers, the first
 * WEFT_PACKET_LANDING bytes, have come: if it is long, goes on with a message that is under way,
 * and lies in one block of the program's memory. Else NULL. A world may write it there before it
 * knows whether the packet is to be believed: until all of a message has come, nobody is promised
 * what is in its place. The packet then comes by weft_nic_receive_landed, as the next of the peer,
 * or the peer fails. */
unsigned char *weft_nic_landing(struct weft_nic *nic, struct weft_nic_peer *peer,
                                const void *headers, size_t size);
void weft_nic_receive_landed(struct weft_nic *nic, struct weft_nic_peer *peer, const void *headers,
                             size_t size, const unsigned char *payload);

/* Where packets of a reliable world overtake each other: some of those that were under way between
 * us and the process, in either direction, will not come. */
void weft_nic_packets_lost(struct weft_nic *nic, struct weft_nic_address address);

/* The process is dead or out of reach: every operation with it ends now, with a failure. */
void weft_nic_peer_failed(struct weft_nic *nic, struct weft_nic_address address);

#endif
