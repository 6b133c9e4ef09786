/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packet by packet and flit by flit, the throughput is the same within 5 %.
 *
 * usage: flits_test [NODES]     72, or 1056, which takes some minutes
 */
#include <math.h>
#include <stdlib.h>

#include "sim/network/small.h"
#include "support/tap.h"

static struct weft_sim_study base_study(bool is_large, enum weft_sim_routing_kind kind)
{
    struct weft_sim_study study = small_dragonfly(kind);
    study.sample = 4000;
    study.least = study.most = 16000;
    if (is_large) {
        study.sizes[0] = study.sizes[2] = 4;
        study.sizes[1] = 8;
    }
    return study;
}

static void compare(struct weft_sim_study study, const char *what)
{
    struct weft_sim_finding packets, flits;
    check(weft_sim_study_run(&study, &packets));
    study.by_flit = true;
    check(weft_sim_study_run(&study, &flits));
    tap_note("%s: %.4f by packets, %.4f by flits", what, packets.throughput, flits.throughput);
    check(fabs(packets.throughput / flits.throughput - 1) < 0.05);
}

int main(int argc, char **argv)
{
    bool is_large = argc > 1 && strtoul(argv[1], NULL, 10) > 72;
    for (unsigned kind = WEFT_SIM_MINIMAL; kind <= WEFT_SIM_PROGRESSIVE; kind++)
        compare(base_study(is_large, (enum weft_sim_routing_kind)kind), small_routings[kind]);
    struct weft_sim_study study = base_study(is_large, WEFT_SIM_PROGRESSIVE);
    study.slow = 0.03;
    compare(study, "slow receivers");
    return tap_done();
}
