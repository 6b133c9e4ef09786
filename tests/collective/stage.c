/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/stage.h"

#include <stdlib.h>
#include <string.h>

struct weft_sim_config stage_config(uint32_t size, uint64_t seed)
{
    return (struct weft_sim_config){.nodes = size,
                                    .seed = seed,
                                    .latency = 1000,
                                    .bandwidth = 10000,
                                    .packet_size = 4096,
                                    .timeout = 10000 * STAGE_MILLISECOND,
                                    .reliable = true,
                                    .limit = 600000 * STAGE_MILLISECOND};
}

int stage_run(struct stage *stage, const struct weft_sim_config *config,
              void (*program)(unsigned node, void *argument), void *argument)
{
    stage->size = config->nodes;
    stage->map = malloc(stage->size * sizeof *stage->map);
    for (uint32_t i = 0; i < stage->size; i++)
        stage->map[i] = (ptl_process_t){.phys = {.nid = i + 1, .pid = 1}};
    int error = weft_portals_simulate(config, program, argument);
    free(stage->map);
    return error;
}

void stage_enter(struct stage *stage, struct stage_node *node, unsigned number)
{
    const struct weft_engine_options options = {.eager = STAGE_EAGER};
    *node = (struct stage_node){.rank = number};
    PtlInit();
    PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, 1, NULL, NULL, &node->ni);
    PtlSetMap(node->ni, stage->size, stage->map);
    PtlCTAlloc(node->ni, &node->clock);
    weft_engine_open(node->ni, number, stage->size, &options, &node->engine);
    stage_meet(stage, node);
}

void stage_leave(struct stage *stage, struct stage_node *node)
{
    stage_meet(stage, node);
    weft_engine_close(node->engine);
    PtlNIFini(node->ni);
    PtlFini();
}

void stage_meet(struct stage *stage, struct stage_node *node)
{
    node->met++;
    stage->arrived++;
    while (stage->arrived < node->met * stage->size)
        stage_pause(node, 1);
}

void stage_pause(const struct stage_node *node, unsigned milliseconds)
{
    ptl_size_t never = 1;
    ptl_ct_event_t value;
    unsigned which;
    PtlCTPoll(&node->clock, &never, 1, milliseconds, &value, &which);
}

const char *stage_option(int count, char **arguments, const char *name, const char *otherwise)
{
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(arguments[i], name) == 0)
            return arguments[i + 1];
    return otherwise;
}

uint64_t stage_number(int count, char **arguments, const char *name, const char *otherwise)
{
    return strtoull(stage_option(count, arguments, name, otherwise), NULL, 10);
}
