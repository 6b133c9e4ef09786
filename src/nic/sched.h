/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stage that keeps the packets of a message together: its header decides where the data goes,
 * its payload goes there, and when all of it is there the program is told and the initiator gets
 * its answer. The requests of one process arrive one after another, so one record for each
 * process is enough, and no look-up is needed for payload. The link sees to that where packets
 * overtake each other (nic/order.h): there, payload of the open message comes in any order.
 */
#ifndef WEFT_NIC_SCHED_H
#define WEFT_NIC_SCHED_H

#include "nic/state.h"

/* The first packet of a message: of a put, and of all others. */
void weft_nic_sched_put(struct weft_nic *nic, struct weft_nic_peer *peer,
                        const struct weft_packet *packet);
void weft_nic_sched_request(struct weft_nic *nic, struct weft_nic_peer *peer,
                            const struct weft_packet *packet);

/* A later one; false if it does not continue the message that is open. */
bool weft_nic_sched_data(struct weft_nic *nic, struct weft_nic_peer *peer,
                         const struct weft_packet *packet);

/* Where its payload goes, if that is worth to be known before it comes; else NULL. */
unsigned char *weft_nic_sched_landing(const struct weft_nic_peer *peer,
                                      const struct weft_packet *packet);

/* The same where packets may overtake each other: any range of the message that is open. */
bool weft_nic_sched_range(struct weft_nic *nic, struct weft_nic_peer *peer,
                          const struct weft_packet *packet);

/* Events, and the end of all that the message held. */
void weft_nic_sched_finish(struct weft_nic_delivery *delivery);

/* The same, and the acknowledgement. */
void weft_nic_sched_end(struct weft_nic *nic, struct weft_nic_peer *peer,
                        struct weft_nic_delivery *delivery);

/* What of a payload lies within the part of the message that is kept goes into the region; false
 * if that does not have the range. Also for those who do not own the NIC. */
bool weft_nic_sched_write(const struct weft_nic_delivery *delivery,
                          const struct weft_nic_region *region, uint64_t offset,
                          const unsigned char *payload, size_t size);

/* Does an atomic operation, ends and answers it. */
void weft_nic_sched_atomic(struct weft_nic *nic, struct weft_nic_peer *peer,
                           const unsigned char *payload, struct weft_nic_delivery *delivery);

/* The peer will send no more of its message. */
void weft_nic_sched_abandon(struct weft_nic_peer *peer);

/* The interface closes: what still arrives for it is thrown away. */
void weft_nic_sched_forget(struct weft_nic *nic, const struct weft_nic_ni *ni);

#endif
