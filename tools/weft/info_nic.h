/* SPDX-License-Identifier: BSD-3-Clause */
/* What `weft info` says of the NIC: worlds, limits, and the memory that peers take. */
#ifndef WEFT_TOOLS_INFO_NIC_H
#define WEFT_TOOLS_INFO_NIC_H

void info_nic_print(void);

/* Members of an object that is open. */
void info_nic_json(void);

#endif
