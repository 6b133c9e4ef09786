/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages cost and what is done with them: models of `weft sim goal`. */
#ifndef WEFT_TOOLS_SIM_COSTS_H
#define WEFT_TOOLS_SIM_COSTS_H

#include "sim/message/job.h"
#include "sim/message/plan.h"
#include "sim_keys.h"

struct sim_costs {
    struct weft_sim_costs costs;
    struct weft_sim_plan plan; /* but for the scheme and the ranks */
    char noise_file[128];      /* of a record, which is in memory then */
};

struct sim_costs sim_costs_none(void);
void sim_costs_fini(struct sim_costs *costs);

extern const struct sim_keys sim_costs_keys;

#endif
