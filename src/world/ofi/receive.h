/* SPDX-License-Identifier: BSD-3-Clause */
/* What libfabric reports: frames that have come, buffers that were sent, errors. */
#ifndef WEFT_WORLD_OFI_RECEIVE_H
#define WEFT_WORLD_OFI_RECEIVE_H

struct weft_ofi;

/* Deals with a limited number of reports. Says how many frames there were. */
unsigned weft_ofi_receive(struct weft_ofi *ofi);

/* Gives the NIC what it has sent to itself. */
unsigned weft_ofi_receive_self(struct weft_ofi *ofi);

#endif
