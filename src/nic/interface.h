/* SPDX-License-Identifier: BSD-3-Clause */
/* The four interfaces of a NIC: matching or not, logical or physical. */
#ifndef WEFT_NIC_INTERFACE_H
#define WEFT_NIC_INTERFACE_H

#include "nic/state.h"

/* What an interface allows at the most, and its share of what was asked for. */
extern const ptl_ni_limits_t weft_nic_ni_limits;

/* Which of the four; `options` has been checked. */
struct weft_nic_ni *weft_nic_ni_of(struct weft_nic *nic, unsigned options);

/* PTL_OK or PTL_NO_SPACE. `desired` may be NULL. Another `incarnation` each time keeps handles of
 * the last time from being taken for those of this time. */
int weft_nic_ni_open(struct weft_nic_ni *ni, unsigned options, const ptl_ni_limits_t *desired,
                     uint32_t incarnation);

/* Everything that the interface holds goes, without events. */
void weft_nic_ni_close(struct weft_nic_ni *ni);

/* Lowers what may be lowered to what is not zero. */
void weft_nic_ni_lower_handler_limits(struct weft_nic_ni *ni, const ptl_handler_limits_t *desired);

/* PTL_OK or PTL_NO_SPACE. */
int weft_nic_ni_set_map(struct weft_nic_ni *ni, const ptl_process_t *map, ptl_size_t size);

/* The same without a copy, of a map that outlives the interface. Peers are then found by their
 * addresses alone, so that the map costs a NIC nothing. */
int weft_nic_ni_share_map(struct weft_nic_ni *ni, const ptl_process_t *map, ptl_size_t size);

#endif
