/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic that wants to go in circles, with small buffers and slow nodes: packets must arrive all
 * the time. Then nobody sends any more, and the network must become empty.
 *
 * usage: deadlock_test [CYCLES]     1000000 takes about a minute
 */
#include <stdlib.h>

#include "sim/network/small.h"
#include "support/tap.h"

#define PATIENCE 5000u /* cycles without a packet: no packet is 100 cycles from a slow sink */

static uint64_t cycles = 40000;

static void drive(struct weft_sim_study *study)
{
    struct weft_sim_run run;
    unsigned stuck = 0;
    if (!check(weft_sim_run_open(&run, study)))
        return;
    for (uint64_t cycle = PATIENCE; cycle <= cycles; cycle += PATIENCE) {
        uint64_t before = run.hosts.packets;
        weft_sim_run_sample(&run, cycle);
        stuck += run.hosts.packets == before;
    }
    check_uint(stuck, 0);
    run.hosts.is_over = true;
    weft_sim_engine_run(&run.engine, WEFT_SIM_NEVER);
    check_uint(run.hosts.network->under_way, 0);
    weft_sim_run_close(&run);
}

/* All nodes of a group to the next one: one link for all of them. */
static void test_dragonfly(enum weft_sim_routing_kind kind, bool is_fickle)
{
    struct weft_sim_study study = small_dragonfly(kind);
    tap_note("dragonfly, %s%s", small_routings[kind], is_fickle ? ", decides again" : "");
    study.pattern = WEFT_SIM_SHIFT;
    study.pattern_number = 8;
    study.routing.bias = 1;
    study.routing.threshold = 0;
    study.routing.is_fickle = is_fickle;
    study.buffer = 32;
    study.slow = 0.03;
    drive(&study);
}

/* Half way round each ring. */
static void test_other(enum weft_sim_shape shape, enum weft_sim_routing_kind kind)
{
    struct weft_sim_study study = small_other(shape);
    tap_note("shape %d, %s", shape, small_routings[kind]);
    study.routing.kind = kind;
    study.pattern = WEFT_SIM_SHIFT;
    study.pattern_number = shape == WEFT_SIM_SHAPE_TORUS ? 2 : 4;
    study.buffer = 32;
    study.slow = 0.03;
    drive(&study);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cycles = strtoull(argv[1], NULL, 10);
    for (unsigned kind = WEFT_SIM_MINIMAL; kind <= WEFT_SIM_PROGRESSIVE; kind++) {
        test_dragonfly((enum weft_sim_routing_kind)kind, false);
        test_dragonfly((enum weft_sim_routing_kind)kind, true);
        test_other(WEFT_SIM_SHAPE_TORUS, (enum weft_sim_routing_kind)kind);
        test_other(WEFT_SIM_SHAPE_FAT_TREE, (enum weft_sim_routing_kind)kind);
    }
    return tap_done();
}
