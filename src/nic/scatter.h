/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets into layouts by HPUs. A layout needs no state to be entered at any byte, so the packets
 * of a message can be scattered by several HPUs at once and in any order: what a payload handler
 * of datatypes does, without the program having asked for one. Such messages have activations as
 * those with handlers do. A packet that finds no context, or no room for the layout (room.h),
 * does not wait: whoever receives it scatters it.
 */
#ifndef WEFT_NIC_SCATTER_H
#define WEFT_NIC_SCATTER_H

#include "nic/activation.h"
#include "packet/packet.h"

/* Of a message of so many bytes, whose first packet is this; NULL: HPUs have nothing to do with
 * it. What fits into one packet is scattered before an HPU could have begun. */
static inline struct weft_nic_execution *
weft_nic_scatter_execution(struct weft_nic *nic, const struct weft_nic_region *region,
                           const struct weft_packet *packet, uint64_t length)
{
    bool is_long = length > packet->head.length;
    return nic->hpu.scatters && region->layout && is_long ? &nic->hpu.layout : NULL;
}

/* False if no HPU can have the packet. */
bool weft_nic_scatter_submit(struct weft_nic_activation *activation, const ptl_payload_t *payload);

/* On an HPU. */
ptl_handler_result_t weft_nic_scatter_run(const struct weft_nic_task *task);

#endif
