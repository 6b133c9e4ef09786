/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Room for layouts in the memory of the NIC. HPUs that move the packets of a message need its
 * layout there, as handlers of datatypes need their image. Where all is taken, layouts of higher
 * priority go before others ([DiG19], section 3.2.6). What has to leave may do so in the middle of
 * its message: a layout keeps no state from packet to packet, so whoever sends or receives moves
 * the rest.
 */
#ifndef WEFT_NIC_ROOM_H
#define WEFT_NIC_ROOM_H

#include "nic/state.h"

/* For the next packet of a message: whether HPUs can have it. `packets`: how many of the message
 * they have now; it must stay where it is until the room is given back. */
bool weft_nic_room_take(struct weft_nic *nic, struct weft_nic_room *room,
                        const ptl_layout_t *layout, const uint32_t *packets);

/* The message is over. It need not have any. */
void weft_nic_room_give(struct weft_nic *nic, struct weft_nic_room *room);

#endif
