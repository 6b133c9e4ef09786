/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message to a node whose handlers are native code, with a time that the study says: packets
 * that take a while each, and products of complex numbers ([sPIN17], section 4.4), for which our
 * cores have no instructions; and the same product by the processor.
 */
#ifndef WEFT_TOOLS_SIM_NIC_NATIVE_H
#define WEFT_TOOLS_SIM_NIC_NATIVE_H

#include "sim_nic_run.h"

/* False, having said why. */
bool sim_nic_native(const struct sim_nic_study *study, struct sim_nic_finding *finding);

#endif
