/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A write to blocks on four nodes, with their parity on a fifth ([sPIN17], section 5.3): by
 * handlers packet by packet, or by the processors of all nodes, where acknowledgements of the
 * parity go on to the client by a triggered put.
 */
#ifndef WEFT_TOOLS_SIM_NIC_RAID_H
#define WEFT_TOOLS_SIM_NIC_RAID_H

#include "sim_nic_run.h"

/* False, having said why. */
bool sim_nic_raid(const struct sim_nic_study *study, struct sim_nic_finding *finding);

#endif
