/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated nodes, each with an engine, that run one program. */
#ifndef WEFT_TESTS_COLLECTIVE_STAGE_H
#define WEFT_TESTS_COLLECTIVE_STAGE_H

#include <stdint.h>

#include <weft_schedule.h>

#include "portals/simulate.h"

#define STAGE_MILLISECOND UINT64_C(1000000)
#define STAGE_EAGER 1024 /* bytes that messages bring along */

struct stage {
    uint32_t size;
    unsigned arrived;
    ptl_process_t *map;
};

struct stage_node {
    uint32_t rank;
    unsigned met;
    ptl_handle_ni_t ni;
    ptl_handle_ct_t clock;
    weft_engine *engine;
};

/* A network without faults. */
struct weft_sim_config stage_config(uint32_t size, uint64_t seed);

/* 0, or an error as of weft_portals_simulate. */
int stage_run(struct stage *stage, const struct weft_sim_config *config,
              void (*program)(unsigned node, void *argument), void *argument);

/* Of a node: opens its engine, and closes it; all others have theirs meanwhile. */
void stage_enter(struct stage *stage, struct stage_node *node, unsigned number);
void stage_leave(struct stage *stage, struct stage_node *node);

/* Returns when all are here. */
void stage_meet(struct stage *stage, struct stage_node *node);
void stage_pause(const struct stage_node *node, unsigned milliseconds);

/* What the command line says behind a name. */
const char *stage_option(int count, char **arguments, const char *name, const char *otherwise);
uint64_t stage_number(int count, char **arguments, const char *name, const char *otherwise);

#endif
