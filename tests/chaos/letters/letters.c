/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random handlers on simulated nodes with faults: letters whose handlers follow a script and write
 * down what they saw, checked against what the script must come to. campaign.c says what the
 * arguments are.
 */
#include "chaos/letters/coverage.h"
#include "chaos/letters/office.h"

#define ENOUGH_SEEDS 300u /* for everything to have happened */

static struct outcome run(uint64_t seed, struct run_wish wish, FILE *trace_file)
{
    const struct design design = design_draw(seed, wish);
    return office_run(&design, trace_file);
}

static void print(uint64_t seed, struct run_wish wish)
{
    const struct design design = design_draw(seed, wish);
    design_print(&design);
}

static void conclude(uint64_t seeds)
{
    if (seeds >= ENOUGH_SEEDS)
        coverage_check();
}

int main(int argc, char **argv)
{
    const struct campaign campaign = {
        .most_nodes = OFFICE_NODES, .run = run, .print = print, .conclude = conclude};
    return campaign_main(argc, argv, &campaign);
}
