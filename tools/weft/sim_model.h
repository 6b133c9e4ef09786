/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of networks: files of lines `key = value`, and the same on the command line. */
#ifndef WEFT_TOOLS_SIM_MODEL_H
#define WEFT_TOOLS_SIM_MODEL_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/network/study.h"

/* A file, or the name of one of those that come with Weft. False, having said why. */
bool sim_model_read(struct weft_sim_study *study, const char *name);

/* One line, which comes from somewhere. False, having said why. */
bool sim_model_set(struct weft_sim_study *study, const char *line, const char *where);

/* Every key with its value, one a line, each behind the prefix; and as members of JSON. */
void sim_model_print(const struct weft_sim_study *study, FILE *out, const char *prefix);
void sim_model_json(const struct weft_sim_study *study);

#endif
