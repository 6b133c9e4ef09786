/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random workloads on simulated nodes with faults, checked against a model. A seed decides all of
 * it: what fails for a seed fails again for it. campaign.c says what the arguments are.
 */
#include "chaos/scene.h"

static struct outcome run(uint64_t seed, struct run_wish wish, FILE *trace_file)
{
    const struct scenario scenario = scenario_draw(seed, wish);
    return scene_run(&scenario, trace_file);
}

static void print(uint64_t seed, struct run_wish wish)
{
    const struct scenario scenario = scenario_draw(seed, wish);
    scenario_print(&scenario);
}

int main(int argc, char **argv)
{
    const struct campaign campaign = {.most_nodes = SCENARIO_NODES, .run = run, .print = print};
    return campaign_main(argc, argv, &campaign);
}
