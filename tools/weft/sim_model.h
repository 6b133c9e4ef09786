/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of networks: files of lines `key = value`, and the same on the command line. */
#ifndef WEFT_TOOLS_SIM_MODEL_H
#define WEFT_TOOLS_SIM_MODEL_H

#include "sim/network/study.h"
#include "sim_keys.h"

extern const struct sim_keys sim_net_keys;

/* As sim_keys_read. */
bool sim_model_read(struct weft_sim_study *study, const char *name);

#endif
