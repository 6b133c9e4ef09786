/* SPDX-License-Identifier: BSD-3-Clause */
/* The other processes, known by address; one that was never used costs nothing here. */
#ifndef WEFT_NIC_PEER_H
#define WEFT_NIC_PEER_H

#include "nic/state.h"

/* The target of an operation, by rank or address; NULL without memory. */
struct weft_nic_peer *weft_nic_peer_of(struct weft_nic_ni *ni, ptl_process_t target);

/* Whether it can be sent to, now or soon; the first time this begins to connect. Of a peer that
 * has not failed either, it could be for another answer that there is no memory. */
bool weft_nic_peer_is_usable(struct weft_nic *nic, struct weft_nic_peer *peer);

/* Something waits to be sent to it. */
void weft_nic_peer_is_busy(struct weft_nic *nic, struct weft_nic_peer *peer);

#endif
