/* SPDX-License-Identifier: BSD-3-Clause */
/* What came out of a simulator, for programs. */
#ifndef WEFT_TOOLS_SIM_RESULT_H
#define WEFT_TOOLS_SIM_RESULT_H

#include "sim_claim.h"
#include "sim_keys.h"

struct sim_result {
    /* Members of the whole; NULL: none. */
    void (*write_facts)(const void *context);
    const void *context;
    const struct sim_keys *keys; /* NULL: no model is told of */
    const void *model;
    const void *points;
    size_t size, count; /* of one point, in bytes, and of points */
    void (*write_point)(const void *point);
    const struct sim_claims *claims; /* NULL: nothing is claimed */
};

void sim_result_json(const struct sim_result *result);

#endif
