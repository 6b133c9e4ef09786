/* SPDX-License-Identifier: BSD-3-Clause */
/* What belongs to the handlers of an entry, and the memory of the NIC that they share. */
#ifndef WEFT_NIC_EXECUTION_H
#define WEFT_NIC_EXECUTION_H

#include "nic/state.h"

/* PTL_OK and the id, PTL_ARG_INVALID past the limit, or PTL_NO_SPACE. */
int weft_nic_memory_open(struct weft_nic_ni *ni, uint64_t length, uint32_t *id);

/* PTL_OK, or PTL_IN_USE while entries have it. */
int weft_nic_memory_close(struct weft_nic_ni *ni, struct weft_nic_memory *memory);

/* Gives an entry handlers: PTL_OK, PTL_ARG_INVALID or PTL_NO_SPACE. */
int weft_nic_execution_open(struct weft_nic_entry *entry, const ptl_handlers_t *handlers,
                            struct weft_nic_memory *memory);

/* Harmless if it has none. */
void weft_nic_execution_close(struct weft_nic_entry *entry);

#endif
