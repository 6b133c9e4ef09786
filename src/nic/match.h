/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stage that finds the list entry of a message. Entries of one source and one value of the
 * match bits are found by a hash, however many are posted; the others are kept in order. An entry
 * that was appended earlier always wins, whichever way it is found.
 */
#ifndef WEFT_NIC_MATCH_H
#define WEFT_NIC_MATCH_H

#include "nic/state.h"

/* Finds and takes the entry of a message whose request, interface and initiator are set; fills in
 * the rest. If nothing takes it, `fail` says why and there is no entry. */
void weft_nic_match(struct weft_nic_delivery *delivery);

/* Links an entry at the end of its list, or takes it out. */
void weft_nic_match_link(struct weft_nic_entry *entry);
void weft_nic_match_unlink(struct weft_nic_entry *entry);

/* Links it again, where it was. */
void weft_nic_match_relink(struct weft_nic_entry *entry);

/* A message that was taken finds no room for the rest of it: why it fails. */
ptl_ni_fail_t weft_nic_match_disable(const struct weft_nic_delivery *delivery);

/* Whether an entry takes a message. */
bool weft_nic_match_fits(const struct weft_nic_entry *entry,
                         const struct weft_nic_delivery *delivery);

/* The hash under which a message of this kind of source and bits is found. */
uint64_t weft_nic_match_hash(const struct weft_nic_ni *ni, ptl_pt_index_t pt_index, unsigned list,
                             ptl_process_t source, ptl_match_bits_t bits);

#endif
