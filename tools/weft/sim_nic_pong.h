/* SPDX-License-Identifier: BSD-3-Clause */
/* A message there and back between two NICs in virtual time. */
#ifndef WEFT_TOOLS_SIM_NIC_PONG_H
#define WEFT_TOOLS_SIM_NIC_PONG_H

#include "sim_nic_run.h"

/* False, having said why. */
bool sim_nic_pong(const struct sim_nic_study *study, struct sim_nic_finding *finding);

#endif
