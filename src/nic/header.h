/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unexpected messages: what arrived in an overflow entry leaves a header behind, until an entry of
 * the priority list or a search takes it. A header can be taken while its message still arrives;
 * the event then comes with the end of the message.
 */
#ifndef WEFT_NIC_HEADER_H
#define WEFT_NIC_HEADER_H

#include "nic/state.h"

/* A message begins to arrive: its header can be found from now on. */
void weft_nic_header_open(struct weft_nic_delivery *delivery);

/* All of it is there, or will never be. */
void weft_nic_header_close(const struct weft_nic_delivery *delivery);

/* The entry takes what waits for it. True if it was for one message and has had it. */
bool weft_nic_header_take(const struct weft_nic_entry *entry);

/* Searches: posts events for what matches, and says how much did. */
unsigned weft_nic_header_show(const struct weft_nic_entry *seeker);
unsigned weft_nic_header_delete(const struct weft_nic_entry *seeker);

#endif
