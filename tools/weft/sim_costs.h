/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages cost and what is done with them: models of `weft sim goal`. */
#ifndef WEFT_TOOLS_SIM_COSTS_H
#define WEFT_TOOLS_SIM_COSTS_H

#include <stdio.h>

#include "sim/message/job.h"
#include "sim/message/plan.h"

struct sim_costs {
    struct weft_sim_costs costs;
    struct weft_sim_plan plan; /* but for the scheme and the ranks */
    char noise_file[128];      /* of a record, which is in memory then */
};

struct sim_costs sim_costs_none(void);
void sim_costs_fini(struct sim_costs *costs);

/* A file, or the name of one of those that come with Weft. False, having said why. */
bool sim_costs_read(struct sim_costs *costs, const char *name);

/* One line, which comes from somewhere. False, having said why. */
bool sim_costs_set(struct sim_costs *costs, const char *line, const char *where);

/* Every key with its value, one a line, each behind the prefix; and as members of JSON. */
void sim_costs_print(const struct sim_costs *costs, FILE *out, const char *prefix);
void sim_costs_json(const struct sim_costs *costs);

#endif
