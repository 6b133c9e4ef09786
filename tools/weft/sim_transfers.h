/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A study of a network whose nodes are NICs that run the transfers of weft_net.h: every node sends
 * one long message to its peer, which pulls it. A window of so many packets is WEFT_CHUNKS chunks,
 * each of them a request that travels through the network as data does.
 */
#ifndef WEFT_TOOLS_SIM_TRANSFERS_H
#define WEFT_TOOLS_SIM_TRANSFERS_H

#include "sim/network/study.h"

/* The data of all nodes is in memory at once. */
#define SIM_TRANSFERS_NODES 2048u

/* What keeps a study from being one of transfers; NULL if nothing does. */
const char *sim_transfers_objection(const struct weft_sim_study *study);

/* As weft_sim_study_run, after the fewest cycles of the study, whether or not it has converged by
 * then. Of the finding, latency, detours and marks stay 0. It sets settings, so that a process runs
 * one of them. False, having said why. */
bool sim_transfers_run(const struct weft_sim_study *study, struct weft_sim_finding *finding);

#endif
