/* SPDX-License-Identifier: BSD-3-Clause */
/* What only the driver of the NIC knows: where its memory lies, and how packets are cut. */
#ifndef WEFT_OFFLOAD_MEMORY_H
#define WEFT_OFFLOAD_MEMORY_H

#include "offload/offload.h"

/* The address of memory that PtlHPUAllocMem gave; NULL if the handle is not valid. */
void *weft_offload_memory(ptl_handle_hpu_t hpu_memory);

/* The NIC of an interface; false if the handle is not valid. */
bool weft_offload_nic_of(ptl_handle_ni_t ni_handle, struct weft_offload_nic *nic);

#endif
