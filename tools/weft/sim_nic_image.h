/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers as code for a RISC-V core, as PtlHandlersLoad takes it: of all strategies, and the
 * stock. Of no length where there was no compiler for it. */
#ifndef WEFT_TOOLS_SIM_NIC_IMAGE_H
#define WEFT_TOOLS_SIM_NIC_IMAGE_H

#include <stddef.h>

extern const unsigned char sim_nic_image[];
extern const size_t sim_nic_image_length;
extern const unsigned char sim_nic_stock[];
extern const size_t sim_nic_stock_length;

#endif
