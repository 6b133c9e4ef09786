/* SPDX-License-Identifier: BSD-3-Clause */
/* The stage of the initiator: the answer to an operation has come. False: to none of ours. */
#ifndef WEFT_NIC_RESULT_H
#define WEFT_NIC_RESULT_H

#include "nic/state.h"

bool weft_nic_result_ack(struct weft_nic *nic, struct weft_nic_peer *peer,
                         const struct weft_packet *packet);
bool weft_nic_result_reply(struct weft_nic *nic, struct weft_nic_peer *peer,
                           const struct weft_packet *packet);
bool weft_nic_result_data(struct weft_nic *nic, struct weft_nic_peer *peer,
                          const struct weft_packet *packet);
/* Where the payload goes, if that is worth to be known before it comes; else NULL. */
unsigned char *weft_nic_result_landing(const struct weft_nic *nic,
                                       const struct weft_nic_peer *peer,
                                       const struct weft_packet *packet);
/* The same where packets may overtake each other: any range of the reply. */
bool weft_nic_result_range(struct weft_nic *nic, struct weft_nic_peer *peer,
                           const struct weft_packet *packet);
/* All data of a reply is in its place, or will never be. */
void weft_nic_result_end(struct weft_nic_operation *operation, ptl_ni_fail_t fail);

bool weft_nic_result_lost(struct weft_nic *nic, struct weft_nic_peer *peer,
                          const struct weft_packet *packet);

#endif
