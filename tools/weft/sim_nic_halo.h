/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that exchanges the faces of its part of a grid with its neighbours and computes, in
 * turns, whose messages are matched by handlers ([sPIN17], section 5.1) or by the processor.
 */
#ifndef WEFT_TOOLS_SIM_NIC_HALO_H
#define WEFT_TOOLS_SIM_NIC_HALO_H

#include "sim_nic_run.h"

/* False, having said why. It computes as long as it takes for the processor's messages to have
 * their share of the time. */
bool sim_nic_halo(const struct sim_nic_study *study, struct sim_nic_finding *finding);

#endif
