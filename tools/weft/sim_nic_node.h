/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs on simulated nodes with NICs of a model have in common. */
#ifndef WEFT_TOOLS_SIM_NIC_NODE_H
#define WEFT_TOOLS_SIM_NIC_NODE_H

#include <portals4_spin.h>

#include "nic/stages.h"
#include "portals/simulate.h"
#include "sim_nic_run.h"

#define SIM_NIC_ENTRY 3 /* the portal table entry that all use */

/* Two nodes whose NICs are as the study says; `stages` is filled in, and must stay. Images get the
 * core of the study from now on. */
struct weft_sim_config sim_nic_config(const struct sim_nic_study *study,
                                      struct weft_nic_stages *stages);

/* What the counts of a receiver say of so many bytes that took so long. */
struct sim_nic_finding sim_nic_finding_of(const struct weft_nic_stage_counts *counts, double bytes,
                                          double time);

/* ---- For programs of nodes ---------------------------------------------------------------- */

uint64_t sim_nic_now(void);

/* The processor is at work for so long. */
void sim_nic_spend(double nanoseconds);

/* PTL_OK, or what went wrong. */
int sim_nic_open(ptl_handle_ni_t *ni);

/* An entry for puts of anybody. */
ptl_me_t sim_nic_entry(void *start, size_t length);

#endif
