/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No packet and no credit is lost or doubled, at any time: all networks, routings and ways to pace
 * senders, audited after each tick. At the end nobody sends any more, and all must arrive.
 *
 * usage: conserve_test [CYCLES]
 */
#include <stdlib.h>

#include "sim/network/small.h"
#include "support/tap.h"

static uint64_t cycles = 400;

static void audit_run(const struct weft_sim_study *study)
{
    struct weft_sim_run run;
    const char *wrong = NULL;
    if (!check(weft_sim_run_open(&run, study)))
        return;
    for (uint64_t tick = 0; tick < cycles * WEFT_SIM_CYCLE && !wrong; tick++) {
        weft_sim_engine_run(&run.engine, tick);
        wrong = weft_sim_fabric_audit(run.hosts.network);
    }
    check_string(wrong ? wrong : "nothing", "nothing");
    check(run.hosts.packets > 0);
    run.hosts.is_over = true;
    weft_sim_engine_run(&run.engine, WEFT_SIM_NEVER);
    check_uint(run.hosts.network->under_way, 0);
    check(!weft_sim_fabric_audit(run.hosts.network));
    uint64_t sent = 0;
    for (uint32_t node = 0; node < run.topology->nodes; node++)
        sent += run.hosts.hosts[node].sent;
    check_uint(sent, run.hosts.packets);
    weft_sim_run_close(&run);
}

static void test_dragonflies(void)
{
    for (unsigned kind = WEFT_SIM_MINIMAL; kind <= WEFT_SIM_PROGRESSIVE; kind++)
        for (unsigned pace = 0; pace < 4; pace++) {
            struct weft_sim_study study = small_dragonfly((enum weft_sim_routing_kind)kind);
            tap_note("dragonfly, %s, pace %u", small_routings[kind], pace);
            study.slow = 0.05;
            study.routing.is_fickle = pace == 3;
            study.buffer = 64;
            study.is_notified = pace == 1;
            study.window = pace == 2 ? WEFT_SIM_WINDOW_MEASURED : WEFT_SIM_WINDOW_NONE;
            audit_run(&study);
        }
}

static void test_others(void)
{
    for (unsigned shape = WEFT_SIM_SHAPE_FAT_TREE; shape <= WEFT_SIM_SHAPE_STAR; shape++)
        for (unsigned pattern = WEFT_SIM_PAIRS; pattern <= WEFT_SIM_HALO; pattern++) {
            struct weft_sim_study study = small_other((enum weft_sim_shape)shape);
            tap_note("shape %u, pattern %u", shape, pattern);
            study.pattern = (enum weft_sim_pattern_kind)pattern;
            study.pattern_number = 3;
            study.buffer = 32;
            study.window = pattern == WEFT_SIM_HALO ? WEFT_SIM_WINDOW_FIXED : WEFT_SIM_WINDOW_NONE;
            audit_run(&study);
        }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cycles = strtoull(argv[1], NULL, 10);
    test_dragonflies();
    test_others();
    return tap_done();
}
