/* SPDX-License-Identifier: BSD-3-Clause */
/* What `weft info` says of libfabric: what it offers, which provider is taken, and why. */
#ifndef WEFT_TOOLS_INFO_OFI_H
#define WEFT_TOOLS_INFO_OFI_H

void info_ofi_print(void);

/* A member of an object that is open. */
void info_ofi_json(void);

#endif
