/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the target sends back: acknowledgements and replies. An answer goes at once if there is
 * room; else it waits, in order, before all requests to the same process. One that there is no
 * memory to keep for is lost, and the initiator is told so: that takes no memory but a mark at the
 * peer, because the newest lost answer stands for all older ones that have not come.
 */
#ifndef WEFT_NIC_ANSWER_H
#define WEFT_NIC_ANSWER_H

#include "nic/state.h"

void weft_nic_answer_send_ack(struct weft_nic *nic, struct weft_nic_peer *peer,
                              const struct weft_nic_delivery *delivery);

/* The answer to a put or atomic operation that has ended, if it wants one. */
static inline void weft_nic_answer_acknowledge(struct weft_nic *nic, struct weft_nic_peer *peer,
                                               const struct weft_nic_delivery *delivery)
{
    if (delivery->operation && delivery->request.ack != PTL_NO_ACK_REQ)
        weft_nic_answer_send_ack(nic, peer, delivery);
}

/* The answer with data: `data`, or that of the entry, which the reply then finishes. */
void weft_nic_answer_reply(struct weft_nic *nic, struct weft_nic_peer *peer,
                           struct weft_nic_delivery *delivery, const unsigned char *data);

/* Goes on with what waits; true if nothing is left. `any`: something was sent. */
bool weft_nic_answer_step(struct weft_nic *nic, struct weft_nic_peer *peer, bool *any);

/* HPUs are done with an answer whose peer is gone. */
void weft_nic_answer_stopped(struct weft_nic *nic, struct weft_nic_response *response);

/* The peer is gone, or the interface closes: what waits is not sent. */
void weft_nic_answer_abandon(struct weft_nic *nic, struct weft_nic_peer *peer);
void weft_nic_answer_forget(struct weft_nic *nic, struct weft_nic_peer *peer,
                            const struct weft_nic_ni *ni);

#endif
