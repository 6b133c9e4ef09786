/* SPDX-License-Identifier: BSD-3-Clause */
/* The handlers of all strategies as code for a RISC-V core, as PtlHandlersLoad takes it. Of no
 * length where there was no compiler for it. */
#ifndef WEFT_TOOLS_SIM_NIC_IMAGE_H
#define WEFT_TOOLS_SIM_NIC_IMAGE_H

#include <stddef.h>

extern const unsigned char sim_nic_image[];
extern const size_t sim_nic_image_length;

#endif
