/* SPDX-License-Identifier: BSD-3-Clause */
/* What belongs to the handlers of an entry, and what they share: memory of the NIC, and code. */
#ifndef WEFT_NIC_EXECUTION_H
#define WEFT_NIC_EXECUTION_H

#include "nic/entry.h"

/* PTL_OK and the id, PTL_ARG_INVALID past the limit, or PTL_NO_SPACE. */
int weft_nic_memory_open(struct weft_nic_ni *ni, uint64_t length, uint32_t *id);

/* PTL_OK, or PTL_IN_USE while entries have it. */
int weft_nic_memory_close(struct weft_nic_ni *ni, struct weft_nic_memory *memory);

/* PTL_OK and the id, or PTL_NO_SPACE. Closing the code closes its content. */
int weft_nic_code_open(struct weft_nic_ni *ni, void *content, void (*close)(void *content),
                       uint64_t bytes, uint32_t *id);

/* PTL_OK, or PTL_IN_USE while entries have it. */
int weft_nic_code_close(struct weft_nic_code *code);

/* The interface closes, and has no entries. */
void weft_nic_code_forget(const struct weft_nic_ni *ni);

/* Gives an entry handlers: PTL_OK, PTL_ARG_INVALID or PTL_NO_SPACE. */
int weft_nic_execution_open(struct weft_nic_entry *entry, const struct weft_nic_entry_spec *spec);

/* Harmless if it has none. */
void weft_nic_execution_close(struct weft_nic_entry *entry);

#endif
